-- Keeps what a staging table lacks with the table, so that whoever goes on with the load finds it.
-- Placeholders: that, a literal; an empty one removes the comment.
COMMENT ON TABLE {staging} IS {common}
