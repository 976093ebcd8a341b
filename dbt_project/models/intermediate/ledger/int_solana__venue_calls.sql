with

calls as (

    select * from {{ ref('int_solana__calls') }}

),

token_moves as (

    select * from {{ ref('int_solana__token_moves') }} where kind in ('transfer', 'mint', 'burn')

),

trading_calls as (

    select * from calls where recognised

),

-- What a call did is what comes after it in the same instruction, up to the next call that is not its own.
spans as (

    select
        trading_calls.signature,
        trading_calls.outer_index,
        trading_calls.inner_index,
        min(later_calls.inner_index) as end_index
    from trading_calls
    inner join calls as later_calls
        on trading_calls.signature = later_calls.signature
        and trading_calls.outer_index = later_calls.outer_index
        and later_calls.inner_index > trading_calls.inner_index
        and later_calls.stack_height <= trading_calls.stack_height
        and (not later_calls.is_height_unknown or later_calls.venue is not null)
    group by trading_calls.signature, trading_calls.outer_index, trading_calls.inner_index

),

moved as (

    select
        trading_calls.signature,
        trading_calls.outer_index,
        trading_calls.inner_index,
        any_value(spans.end_index) as end_index
    from trading_calls
    left join spans
        on trading_calls.signature = spans.signature
        and trading_calls.outer_index = spans.outer_index
        and trading_calls.inner_index = spans.inner_index
    inner join token_moves
        on trading_calls.signature = token_moves.signature
        and trading_calls.outer_index = token_moves.outer_index
        and token_moves.inner_index > trading_calls.inner_index
        and token_moves.inner_index < coalesce(spans.end_index, 2147483647)
    group by trading_calls.signature, trading_calls.outer_index, trading_calls.inner_index

),

-- Calls that move no token do not count as having run (METHODS 1.3).
final as (

    select trading_calls.*, moved.end_index
    from trading_calls
    inner join moved
        on trading_calls.signature = moved.signature
        and trading_calls.outer_index = moved.outer_index
        and trading_calls.inner_index = moved.inner_index

)

select * from final
