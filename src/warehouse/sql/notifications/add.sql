-- Puts a message into the outbox. Params: :target, :type, :body as JSON. Repeating sends it twice: run it in the transaction that
-- records what the message is about.
INSERT INTO searchmill.notifications (target, type, body) VALUES (:target, :type, :body)
