with

boards as (

    select * from {{ ref('int_boards') }}

),

wallet_pnl as (

    select * from {{ ref('wallet_pnl') }}

),

-- Wallets that miss a minimum are not ranked; a method without minimums ranks all that traded.
refused as (

    select distinct method, "window", chain, wallet
    from {{ ref('eligibility') }}
    where not passed

),

admitted as (

    select wallet_pnl.*
    from wallet_pnl
    anti join refused
        on
            wallet_pnl.method = refused.method
            and wallet_pnl."window" = refused."window"
            and wallet_pnl.chain = refused.chain
            and wallet_pnl.wallet = refused.wallet
    where wallet_pnl.trades > 0

),

figures as (

    select
        boards.board,
        case boards.board
            when 'realized' then admitted.realized_usd
            when 'total' then admitted.total_usd
            when 'mark_to_market' then admitted.total_usd
            when 'score' then cast(admitted.score as decimal(38, 9))
        end as figure,
        admitted.*
    from admitted
    inner join boards
        on admitted.method = boards.method and admitted."window" = boards."window"

),

in_cents as (

    select *, {{ whole_cents('figure') }} as figure_cents
    from figures
    where figure is not null

),

-- Equal cents share a rank (1, 1, 3); `place` is the order shown.
ranked as (

    select
        *,
        rank() over (partition by method, board, "window" order by figure_cents desc) as board_rank,
        row_number() over (
            partition by method, board, "window"
            order by figure_cents desc, volume_usd desc, wallet, chain
        ) as board_place
    from in_cents

),

final as (

    select
        method,
        method_version,
        as_of,
        board,
        "window",
        cast(board_rank as integer) as rank,
        cast(board_place as integer) as place,
        chain,
        wallet,
        board as ranked_by,
        figure,
        board as pnl_basis,
        {{ wallet_pnl_columns() | indent(8) }}
    from ranked

)

select * from final
