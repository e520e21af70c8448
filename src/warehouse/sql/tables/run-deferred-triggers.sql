-- Lets triggers run now that wait for the end of the transaction, so that what they do is seen, and undone, in it.
SET CONSTRAINTS ALL IMMEDIATE
