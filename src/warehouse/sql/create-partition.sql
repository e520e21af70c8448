-- Makes the table of one month, to be attached next: attaching, unlike CREATE ... PARTITION OF, lets readers go on.
CREATE TABLE {partition} (LIKE {table} INCLUDING ALL)
