"""Lets schemathesis 4.32 check pages. It rewrites the prefixItems of an answer into a form of older drafts, which its own validator refuses. Here each
row becomes a list of values of any column, as long as it was."""

import schemathesis


@schemathesis.hook
def before_load_schema(context, raw_schema):
    rewrite(raw_schema)


def rewrite(part):
    if isinstance(part, list):
        for each in part:
            rewrite(each)
    elif isinstance(part, dict):
        if "prefixItems" in part:
            part["items"] = {"anyOf": part.pop("prefixItems")}
        for each in part.values():
            rewrite(each)
