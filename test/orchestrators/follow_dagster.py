"""One turn of Dagster: the sensor looks, as long as it asks for something, and each run that it asks for is executed. What the daemon does with a
request is done here with the instance's own store: a key that has a run is skipped, the cursor is stored after the runs. Its argument: whether to
forget the cursor first."""

import sys
from pathlib import Path

import dagster as dg
from dagster_searchmill import changed_weeks, defs

with dg.DagsterInstance.get() as instance:
    kept = Path("cursor")
    if "reset" in sys.argv:
        kept.unlink(missing_ok=True)
    job = defs.resolve_implicit_global_asset_job_def()
    for _ in range(3):
        context = dg.build_sensor_context(instance=instance, cursor=kept.read_text() if kept.exists() else None, definitions=defs)
        tick = changed_weeks.evaluate_tick(context)
        for request in tick.run_requests or []:
            if instance.get_runs(filters=dg.RunsFilter(tags={"dagster/run_key": request.run_key}), limit=1):
                print("skipped", request.run_key)
                continue
            tags = {**request.tags, "dagster/run_key": request.run_key}
            job.execute_in_process(run_config=request.run_config, tags=tags, instance=instance, raise_on_error=False)
        if tick.cursor is not None:
            kept.write_text(tick.cursor)
        if not tick.run_requests:
            break
