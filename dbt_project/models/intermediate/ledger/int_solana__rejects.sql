with

rejects as (

    select * from {{ ref('stg_solana__rejects') }}

),

contradicted as (

    select raw_file as file, raw_row as "row", signature
    from {{ ref('stg_solana__transactions') }}
    qualify min(body_digest) over (partition by signature) <> max(body_digest) over (partition by signature)

),

final as (

    select file, "row", "column", reason, signature from rejects
    union all
    select
        file,
        "row",
        'body' as "column",
        'duplicate_signature_different_body' as reason,
        signature
    from contradicted

)

select * from final
