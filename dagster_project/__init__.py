"""The orchestrator: wiring (defs), tested logic (lib), settings and the command line."""
