-- Receives pages in COPY's binary format, which is read in two thirds of the time of its text.
COPY {staging} ({columns}) FROM STDIN (FORMAT binary)
