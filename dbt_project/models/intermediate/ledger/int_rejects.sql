with

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

final as (

    select * from tape_rejects
    union all by name
    select * from candle_rejects
    union all by name
    select * from transaction_rejects

)

select * from final
