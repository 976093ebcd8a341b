{# The wrapped mint, by whose address native and wrapped SOL are one asset (METHODS 1.1). #}
{% macro solana_sol() -%} 'So11111111111111111111111111111111111111112' {%- endmacro %}

{# Lamports that an account of so many bytes must hold to be free of rent (METHODS 1.3, 5). #}
{% macro solana_rent(bytes) -%} (128 + {{ bytes }}) * 6960 {%- endmacro %}
