-- Makes a function on all nodes, and keeps it the same there. Params: :signature.
SELECT create_distributed_function(:signature::text::regprocedure)
