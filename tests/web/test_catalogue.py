"""The page of all evaluations."""


def test_a_hub_without_evaluations_says_so(new_site):
    page = new_site().text("/evaluations")

    assert "This hub has no evaluations yet." in page


def test_the_first_page_is_the_catalogue(site):
    answer = site.get("/", follow_redirects=False)

    assert answer.status_code == 302
    assert answer.headers["location"] == "/evaluations"


def test_evaluations_stand_under_their_department_and_module(site):
    site.sip(
        sip=8, id="sums", name="Sums", department="foundations", module="reckoning", prerequisites=("good-manners",)
    )

    page = site.text("/evaluations")

    assert page.index("Foundations</h2>") < page.index("Reckoning</h3>") < page.index("Sums</a>")
    assert page.index("Sums</a>") < page.index("Other evaluations</h2>") < page.index("Good manners</a>")
    assert 'after <a href="/evaluations/good-manners">good-manners</a>' in page


def test_a_pass_rate_comes_with_its_count_and_interval(site):
    site.result("ada", passed=True)
    site.result("bob", passed=True)
    site.result("cleo", passed=False)

    page = site.text("/evaluations")

    assert "<strong>67%</strong> passed" in page
    assert "2 of 3 attempts, 95% interval 21% to 94%" in page


def test_an_evaluation_nobody_tried_has_no_rate(site):
    page = site.text("/evaluations")

    assert "No attempts yet" in page
    assert "%</strong>" not in page


def test_search_and_filters_narrow_the_list(site):
    site.sip(sip=8, id="sums", name="Sums", status="draft")

    assert "Good manners</a>" not in site.text("/evaluations", q="sums")
    assert "Sums</a>" not in site.text("/evaluations", status="active")
    assert "Good manners</a>" in site.text("/evaluations", type="proctored", status="")
    assert "No evaluation matches this search." in site.text("/evaluations", q="nothing like it")


def test_a_search_is_shown_again_as_text(site):
    page = site.text("/evaluations", q='"><script>alert(1)</script>')

    assert "<script>alert" not in page
    assert "&#34;&gt;&lt;script&gt;alert(1)" in page


def test_a_search_that_is_no_text_finds_nothing(site):
    assert site.get("/evaluations?q=%ff%fe").status_code == 200
