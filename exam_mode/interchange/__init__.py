"""Questions to and from the forms of public benchmarks: LiveK12Bench records and K12Vista lines.

`files` reads and writes the containers (JSON, JSONL, Arrow and Parquet as Hugging Face `datasets` stores them), `livek12`
and `k12vista` know the fields, `to_paper` and `from_paper` map them onto paper.json, `commands` is what users call.
"""
