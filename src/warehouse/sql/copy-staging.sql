-- Receives pages as COPY text.
COPY {staging} ({columns}) FROM STDIN
