with

wallets as (

    select * from {{ ref('int_solana__wallets') }}

),

token_moves as (

    select * from {{ ref('int_solana__token_moves') }}
    where kind in ('transfer', 'mint', 'burn') and source_owner is distinct from destination_owner

),

refunds as (

    select
        signature,
        wallet,
        -sum(lamports) as lamports
    from {{ ref('int_solana__deposits') }}
    where lamports < 0
    group by signature, wallet

),

flows as (

    select
        signature,
        destination_owner as wallet,
        mint as asset,
        outer_index,
        inner_index,
        kind,
        amount as amount_in,
        0 as amount_out
    from token_moves
    where destination_owner is not null
    union all
    select
        signature,
        source_owner as wallet,
        mint as asset,
        outer_index,
        inner_index,
        kind,
        0 as amount_in,
        amount as amount_out
    from token_moves
    where source_owner is not null
    union all
    select
        signature,
        destination as wallet,
        {{ solana_sol() }} as asset,
        outer_index,
        inner_index,
        kind,
        lamports as amount_in,
        0 as amount_out
    from {{ ref('int_solana__native_moves') }}
    where destination_owner is null
    union all
    select
        signature,
        wallet,
        {{ solana_sol() }} as asset,
        outer_index,
        inner_index,
        'transfer' as kind,
        0 as amount_in,
        lamports as amount_out
    from {{ ref('int_solana__native_payments') }}
    where not is_wrapped and role = 'price'
    union all
    -- What programs paid out of accounts of their own, less the rent that came back. No instruction tells
    -- when, so it counts as the last thing that happened.
    select
        unexplained.signature,
        unexplained.wallet,
        {{ solana_sol() }} as asset,
        20000 as outer_index,
        -1 as inner_index,
        'program' as kind,
        greatest(unexplained.lamports - coalesce(refunds.lamports, 0), 0) as amount_in,
        0 as amount_out
    from {{ ref('int_solana__unexplained_lamports') }} as unexplained
    left join refunds
        on unexplained.signature = refunds.signature and unexplained.wallet = refunds.wallet

),

per_instruction as (

    select
        signature,
        wallet,
        asset,
        outer_index,
        sum(amount_in) as amount_in,
        sum(amount_out) as amount_out,
        sum(sum(amount_in)) over (partition by signature, wallet, outer_index) as all_in,
        min(outer_index * 100000 + inner_index) filter (amount_in > 0) as first_in,
        min(outer_index * 100000 + inner_index) filter (amount_out > 0) as first_out,
        bool_or(kind = 'mint' and amount_in > 0) as is_minted,
        bool_or(kind = 'burn' and amount_out > 0) as is_burned
    from flows
    group by signature, wallet, asset, outer_index

),

final as (

    select
        per_instruction.signature,
        per_instruction.wallet,
        per_instruction.asset,
        cast(sum(per_instruction.amount_in) as decimal(38, 0)) as amount_in,
        cast(sum(per_instruction.amount_out) as decimal(38, 0)) as amount_out,
        -- Left by an instruction in which the wallet got nothing at all.
        cast(coalesce(sum(per_instruction.amount_out) filter (per_instruction.all_in = 0), 0) as decimal(38, 0))
            as sent_on,
        min(per_instruction.first_out) < min(per_instruction.first_in) as is_left_first,
        bool_or(per_instruction.is_minted) as is_minted,
        bool_or(per_instruction.is_burned) as is_burned
    from per_instruction
    inner join wallets
        on per_instruction.signature = wallets.signature and per_instruction.wallet = wallets.wallet
    group by per_instruction.signature, per_instruction.wallet, per_instruction.asset

)

select * from final
