with

as_of as (

    select as_of from {{ ref('int_as_of') }}

),

tape_rejects as (

    select 'tape' as door, file, "row", "column", reason
    from {{ ref('stg_tape__rejects') }}
    where {{ ledger_is('tape') }}

),

candle_rejects as (

    select 'candles' as door, file, "row", "column", reason
    from {{ ref('stg_prices__rejects') }}
    where {{ ledger_is('raw') }}

),

transaction_rejects as (

    select 'transactions' as door, file, "row", "column", reason, signature
    from {{ ref('int_solana__rejects') }}
    where {{ ledger_is('raw') }}

),

all_rejects as (

    select * from tape_rejects
    union all by name
    select * from candle_rejects
    union all by name
    select * from transaction_rejects

),

final as (

    select
        as_of.as_of,
        all_rejects.door,
        all_rejects.file,
        cast(all_rejects."row" as bigint) as "row",
        all_rejects."column",
        all_rejects.reason,
        cast(all_rejects.signature as varchar) as signature
    from all_rejects
    cross join as_of

)

select * from final
