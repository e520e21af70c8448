-- Puts a message into the outbox. Params: :target, :type, :body as JSON. Repeating sends it twice: run it in the transaction that
-- writes down what the message tells.
INSERT INTO searchmill.notifications (target, type, body) VALUES (:target, :type, :body)
