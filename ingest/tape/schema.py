"""The tables of a normalised tape, one Parquet file each under `tape/` of the data folder."""

from ingest.tape.rules import FILES

TABLES = (*(file.name for file in FILES), "rejects")
