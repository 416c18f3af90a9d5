"""Questions to and from the forms of public benchmarks: LiveK12Bench records and K12Vista lines.

`files` and `writing` know the containers (JSON, JSONL, Arrow and Parquet as Hugging Face `datasets` stores them),
`livek12` and `k12vista` the fields; `to_paper` and `from_paper` map them onto paper.json; `commands` is what users
call.
"""
