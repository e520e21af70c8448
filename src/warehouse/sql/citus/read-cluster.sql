-- The cluster as this node knows it. Result: isCoordinator, and shardNodes: how many nodes may hold shards.
-- Not null: isCoordinator, shardNodes.
SELECT citus_is_coordinator() AS "isCoordinator", count(*) FILTER (WHERE isactive AND shouldhaveshards) AS "shardNodes"
  FROM pg_catalog.pg_dist_node WHERE noderole = 'primary'
