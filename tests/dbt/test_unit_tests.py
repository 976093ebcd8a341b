"""dbt's own unit tests, which scheduled builds leave out."""


def test_unit_tests_of_the_models(dbt, manifest):
    assert manifest["unit_tests"]
    dbt.run("test", "--select", "test_type:unit")
