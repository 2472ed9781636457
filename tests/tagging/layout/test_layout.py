import pytest
from hypothesis import given
from hypothesis import strategies as st

from mderank.tagging.layout import read_layout
from mderank.tagging.paragraphs import paragraphs


def blocks(text, **options):
    """The blocks as they are read: blanked, and with single spaces."""
    layout = read_layout(text, **options)
    return [" ".join(layout.blanked[start:end].split()) for start, end in layout.blocks]


def words_divided(text):
    """For every divided word, how it is written when it is joined."""
    layout = read_layout(text)
    joined = []
    for start, end in layout.divided:
        before = layout.blanked[:start].split()[-1]
        joined.append(before + layout.blanked[end:].split()[0].rstrip(".,"))
    return joined


WRAPPED = (
    "Coral reefs protect the coast from storms, and warm\n"
    "water bleaches the coral. Where fishing stops, reefs\n"
    "recover within ten years."
)
LONG = "Coral reefs protect the coast from storms, and warm water bleaches the coral. " * 4


# --- Ordinary prose -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "",
        "coral reefs",
        "Subject: coral  reefs > here\tthere",  # one line is never taken apart
        "- one line\n\n",
        WRAPPED,
        f"{WRAPPED}\n\n{WRAPPED}",
        f"{WRAPPED}\n{WRAPPED}",
        f"Introduction\n{WRAPPED}",
        f"{LONG}\n{LONG}\n{LONG}",
        f"{LONG}\n\n{LONG}",
        "coral reefs\nwarm water\nmarine reserves",
        "coral\freef\u2029fish",
        f"{WRAPPED}\f{WRAPPED}",
    ],
)
def test_ordinary_prose_is_read_as_paragraphs(text):
    layout = read_layout(text)
    assert layout.blanked == text
    expected = [" ".join(text[start:end].split()) for start, end in paragraphs(text)]
    assert blocks(text) == [block for block in expected if block]


def test_one_long_line_does_not_end_the_wrapping_around_it():
    row = "x y z " * 40
    text = (
        "The survey covered twelve estuaries on the North Sea coast, where storm\n"
        f"surges are frequent, and three on the Baltic coast.\n{row}\n"
        "The survey vessel used a multibeam echo sounder, and the depth\n"
        "data were corrected with a tide gauge in each of the estuaries. Sediment\n"
        "samples were taken with a grab sampler.\n"
    )
    joined = blocks(text)
    assert any("where storm surges are" in block for block in joined)
    assert any("Sediment samples" in block for block in joined)


def test_titles_of_similar_length_are_not_joined():
    titles = [
        "Deep learning for coral reef monitoring",
        "Storm surge prediction in shallow estuaries",
        "Bayesian inference of tidal constituents",
        "Port strike enters its second week as talks",
    ]
    assert blocks("\n".join(titles)) == titles


def test_a_title_that_ends_in_a_preposition_continues():
    assert blocks("A Short History of\nTide Gauges\n\nThey are old.") == [
        "A Short History of Tide Gauges",
        "They are old.",
    ]


def test_capitals_inside_wrapped_prose_and_german_nouns():
    german = (
        "Der neue Hafen liegt zehn Kilometer stromabwärts und wurde im neunzehnten\n"
        "Jahrhundert zum ersten Mal ausgebaggert. Seitdem müssen die Fahrrinne und die\n"
        "Hafenbecken jedes Jahr von Schlick befreit werden.\n"
    )
    assert len(blocks(german)) == 1


def test_a_poem_and_its_lines():
    poem = [
        "Shall I compare thee to a summer's day?",
        "Thou art more lovely and more temperate:",
        "Rough winds do shake the darling buds of May,",
        "And summer's lease hath all too short a date;",
    ]
    assert blocks("\n".join(poem)) == poem


def test_long_blocks_are_cut_after_a_sentence():
    assert blocks("Coral reefs. " * 10, longest=60) == [("Coral reefs. " * count).strip() for count in (4, 4, 2)]


# --- Tables ---------------------------------------------------------------------------------------------------------


def test_tabs_and_columns_of_spaces_end_blocks():
    assert blocks("Region\tOutlook\nNorth America\tstrong growth\n") == [
        "Region", "Outlook", "North America", "strong growth",
    ]  # fmt: skip
    assert blocks("North America  strong growth\nEurope  weak demand\n") == [
        "North America", "strong growth", "Europe", "weak demand",
    ]  # fmt: skip
    table = "                   2023     2024\nContainer volume   1.2 M    1.4 M\nCrane use            71%      78%\n"
    assert blocks(table) == ["2023", "2024", "Container volume", "1.2 M", "1.4 M", "Crane use", "71%", "78%"]


def test_two_spaces_in_prose_are_not_columns():
    justified = (
        "The  storm surge of 1953 was caused by  a  deep depression that moved\n"
        "from the north of Scotland to the German  Bight.  It flooded  the low\n"
        "lying  coast  of  the Netherlands and of eastern England,  and killed\n"
        "more than two thousand people in one night.\n"
    )
    assert len(blocks(justified)) == 1
    typed = "The tide was high.  The surge came at night.  Most dikes held until four\no'clock.  Many died.\n"
    assert len(blocks(typed)) == 1


def test_comma_separated_values():
    rows = 'id,name,city\n1,Harbour crane,Rotterdam\n2,"Tide gauge, old",Delft\n3,Pilot boat,Leiden\n'
    assert blocks(rows) == [
        "id", "name", "city", "1", "Harbour crane", "Rotterdam", "2", '"Tide gauge, old"', "Delft",
        "3", "Pilot boat", "Leiden",
    ]  # fmt: skip
    prose = (
        "We sailed from Bremen, past Cuxhaven, and on\nto Emden, where the pilot boat, an old one, lay\nat anchor.\n"
    )
    assert len(blocks(prose)) == 1


def test_bars_and_breadcrumbs():
    assert blocks("| Method | Score |\n|---|---|\n| surge model | 0.5 |\n") == ["Method", "Score", "surge model", "0.5"]
    assert blocks("Home > Products > City bikes\n\nOur bikes are light.\n") == [
        "Home", "Products", "City bikes", "Our bikes are light.",
    ]  # fmt: skip
    assert blocks("It is shown that the density P(D | H) and P(E | H)\nare equal.\n") == [
        "It is shown that the density P(D | H) and P(E | H) are equal."
    ]


def test_dots_of_a_table_of_contents():
    assert blocks("Storm surges ........ 12\nTide gauges . . . . . 31\n") == ["Storm surges", "12", "Tide gauges", "31"]


def test_a_menu_has_one_block_per_line():
    menu = ["Home", "Products", "About us", "Sign in", "Contact"]
    assert blocks("\n".join(menu)) == menu


# --- Mail -----------------------------------------------------------------------------------------------------------

MAIL = """From: Anna Smith <anna@example.org>
To: Bob Jones <bob@example.org>
Subject: Container backlog at the Rotterdam depot
Date: Mon, 3 Mar 2025 10:12:00 +0100
Received: from mx.example.org by
    mail.example.org with SMTP
Message-ID: <12345.abc@mail.example.org>
X-Mailer: Thing 1.0

Hi Bob,

the container backlog at the depot has grown again since the crane
failure. Can you ask the terminal operator for additional night
shifts?

On Mon, 3 Mar 2025 at 10:12, Bob Jones wrote:
> The crane maintenance is planned for Friday. Until then we only
> have two gantry cranes.
>
>> Do we have a spare motor for the crane?
>> The supplier said that the delivery takes at least six
>> weeks.

Best regards,
Anna

--
Anna Smith
Head of Logistics
"""


def test_mail():
    assert blocks(MAIL) == [
        "Container backlog at the Rotterdam depot",
        "the container backlog at the depot has grown again since the crane failure. Can you ask the terminal operator "
        "for additional night shifts?",
        "The crane maintenance is planned for Friday. Until then we only have two gantry cranes.",
        "Do we have a spare motor for the crane?",
        "The supplier said that the delivery takes at least six weeks.",
    ]
    assert blocks(MAIL.replace("\n", "\r\n")) == blocks(MAIL)


def test_a_postscript_and_a_forwarded_message_are_read():
    text = (
        "See below.\n\nThanks!\nMaria\n\n---------- Forwarded message ---------\n"
        "From: Claims <claims@insurer.example>\nSubject: Hull damage survey\n\n"
        "Please send the survey report.\n\nKind regards,\nTom Baker\nClaims Handler\n\n"
        "P.S. The deductible was raised in January.\n"
    )
    assert blocks(text) == [
        "See below.",
        "Hull damage survey",
        "Please send the survey report.",
        "P.S. The deductible was raised in January.",
    ]


def test_thanks_as_a_heading_does_not_hide_the_sentence_below():
    text = "The bridge was opened in May.\n\nThanks\n\nThe project was funded by the city.\n"
    assert "The project was funded by the city." in blocks(text)


# --- Fields, labels, speakers, stamps -------------------------------------------------------------------------------


def test_fields_of_a_form_lose_their_names():
    form = "Employee: Carla Gomez\nPosition: Marine engineer\nStart date: 1 June 2024\nProbation: six months\n"
    assert blocks(form) == ["Carla Gomez", "Marine engineer", "1 June 2024", "six months"]


def test_labels_of_an_abstract():
    text = (
        "Background: Storm surges threaten low-lying coasts.\n"
        "Methods: We trained a neural network on tide gauge records of forty years and\n"
        "compared it with a hydrodynamic model.\nResults: We found no difference.\n"
    )
    assert blocks(text) == [
        "Storm surges threaten low-lying coasts.",
        "We trained a neural network on tide gauge records of forty years and compared it with a hydrodynamic model.",
        "We found no difference.",
    ]


def test_terms_of_a_glossary_and_titles_with_a_colon_stay():
    glossary = ["Latency: the time between request and response", "Throughput: the number of requests per second"]
    assert blocks("\n".join(glossary)) == glossary
    assert blocks("Deep learning: a survey\n\nWe survey it.\n")[0] == "Deep learning: a survey"


@pytest.mark.parametrize(
    "text",
    [
        "[10:32] anna: did the build finish?\n[10:33] bob: yes\n[10:35] anna: good\n",
        "10:32 AM <anna> did the build finish?\n10:33 AM <bob> yes\n10:35 AM <anna> good\n",
        "anna 10:32 AM\ndid the build finish?\nbob 10:33 AM\nyes\nanna 10:40 AM\ngood\n",
        "ANNA: did the build finish?\nBOB: yes\nANNA: good\nBOB:\n",
        "12/31/23, 10:05 PM - Anna: did the build finish?\n12/31/23, 10:06 PM - Bob K.: yes\n"
        "12/31/23, 10:06 PM - Anna: good\n",
        "2024-05-01 12:00:03 INFO did the build finish?\n2024-05-01 12:00:04 WARN [main] com.acme.Pool - yes\n"
        "2024-05-01T12:00:05Z ERROR good\n",
        "May  1 12:00:03 web01 sshd[1234]: did the build finish?\nMay  1 12:00:09 web01 kernel: yes\n"
        "May  1 12:00:10 web01 kernel: good\n",
        "<anna> did the build finish?\n<bob> yes\n<anna> good\n",
        "AS: did the build finish?\nBJ: yes\nAS: good\n",
    ],
)
def test_stamps_and_speakers_are_blanked(text):
    assert [block for block in blocks(text) if block != "BOB:"] == ["did the build finish?", "yes", "good"]


def test_a_timetable_and_a_wrapped_time_stay():
    assert blocks("Rotterdam 10:32\nDelft 10:45\nLeiden 11:02\n") == ["Rotterdam 10:32", "Delft 10:45", "Leiden 11:02"]
    text = "The storm surge reached the lock gates of the harbour at about\n10:32 in the morning and fell by noon.\n"
    assert len(blocks(text)) == 1


def test_a_single_note_is_a_label():
    assert blocks("Close the valve first.\nNote: the pump runs dry.\n") == [
        "Close the valve first.",
        "the pump runs dry.",
    ]


# --- Chats, subtitles, minutes, web pages, Markdown ------------------------------------------------------------------


def speakers(text):
    return sorted(read_layout(text).speakers)


@pytest.mark.parametrize(
    ("text", "messages", "names"),
    [
        (
            "19:40 -!- tern_ [~t@host.example] has joined #beekeeping\n19:41 < tern_> my hive is losing brood\n"
            "19:42 <@wicker> check for varroa mites first\n19:43 * wicker shrugs\n"
            "19:44 -!- tern_ is now known as tern\n"
            "19:45 < tern_> oxalic acid then\n19:50 -!- wicker [w@x] has quit [Connection reset by peer]\n",
            ["my hive is losing brood", "check for varroa mites first", "shrugs", "oxalic acid then"],
            ["tern_", "wicker"],
        ),
        (
            "Moss — 03/12/2024 18:20\nthe gearbox slips in third\nOlga [ADMIN] — 03/12/2024 18:22\n[photo_2.jpg]\n"
            "Olga [ADMIN] — 03/12/2024 18:22\nsynchro ring is worn\n👍 3\nMoss — Yesterday at 09:05\nordered one\n",
            ["the gearbox slips in third", "synchro ring is worn", "ordered one"],
            ["moss", "olga"],
        ),
        (
            "12/05/2024, 09:14 - Messages and calls are end-to-end encrypted. Tap to learn more.\n"
            '12/05/2024, 09:14 - Lena created group "Allotment"\n12/05/2024, 09:15 - Lena: slug pellets or nematodes?\n'
            "12/05/2024, 09:16 - Uwe: <Media omitted>\n12/05/2024, 09:17 - Uwe: nematodes, they need wet soil\n"
            "12/05/2024, 09:20 - Uwe left\n",
            ["slug pellets or nematodes?", "nematodes, they need wet soil"],
            ["lena", "uwe"],
        ),
        (
            "Kit Moran  11:02 AM\nwho owns the payment gateway alerts?\n3 replies\nDeploy Hook APP  11:04 AM\n"
            ":rocket: release 41 is live\nKit Moran  11:09 AM (edited)\nthe retry queue is full\n:eyes: 2\n",
            ["who owns the payment gateway alerts?", "release 41 is live", "the retry queue is full"],
            ["deploy", "hook", "kit", "moran"],
        ),
        (
            "Sara Lind, [14.02.2025 20:11]\nthe ferry timetable changed\n\nBo, [14.02.2025 20:12]\n[Photo]\n\n"
            "Bo, [14.02.2025 20:15]\nlast sailing is at ten\n",
            ["the ferry timetable changed", "last sailing is at ten"],
            ["lind", "sara"],
        ),
        (
            "10:02:11 From Ana Ruiz to Everyone: can you share the soil maps\n"
            "10:02:40 From Tom to Everyone: yes, after the break\n",
            ["can you share the soil maps", "yes, after the break"],
            ["ana", "ruiz", "tom"],
        ),
    ],
)
def test_chat_exports(text, messages, names):
    assert blocks(text) == messages
    assert speakers(text) == names


def test_prose_with_brackets_dashes_and_notices_stays():
    text = (
        "The keeper left the lighthouse (the noise was too much) in 1921.\n"
        "He wrote in the log that the `head' and the `tail' of the storm had passed.\n"
        "The old harbour — Today it is a park — was filled with sand.\n"
    )
    assert read_layout(text).blanked == text


def test_webvtt():
    text = (
        "WEBVTT - Geology 12\nKind: captions\nLanguage: en\n\nNOTE recorded in May\n\nSTYLE\n::cue { color: red }\n\n"
        "intro\n00:01.000 --> 00:04.000 align:start\n<v.loud Guide>These columns are <i>basalt</i> that cooled\n"
        "slowly\n\n2\n00:04.000 --> 00:09.000\n<v Guide>and cracked into hexagons.\n\n"
        "3\n00:09.000 --> 00:10.000\n<v Visitor>How old are they?\n\n00:10.000 --> 00:12.000\n[applause]\n"
    )
    assert blocks(text) == [
        "These columns are basalt that cooled slowly and cracked into hexagons.",
        "How old are they?",
    ]
    assert speakers(text) == ["guide", "visitor"]


def test_subrip():
    text = (
        "1\n00:00:01,000 --> 00:00:03,500\nThe glacier has lost half of\n\n2\n00:00:03,500 --> 00:00:06,000\n"
        "its ice since 1990.\n\n3\n00:00:06,200 --> 00:00:08,000\n- Can it recover?\n- Not in our lifetime.\n"
    )
    assert blocks(text) == [
        "The glacier has lost half of its ice since 1990.",
        "Can it recover?",
        "Not in our lifetime.",
    ]


def test_attendance_and_authors():
    text = (
        "Sailing Club Committee\nPresent: Dr Ana Pohl (commodore), T. van Dam,\n         Mrs J. O'Neil\n"
        "In attendance: K. Ito (harbour office), 3 members of the club\nApologies: R. Fox and L. Hahn\n"
        "Minutes taken by: Rosa Klein\nChair: A. Pohl\n\n"
        "The slipway must be repaired.\nPresent: the old gate is rusty.\n"
    )
    assert blocks(text) == ["Sailing Club Committee", "The slipway must be repaired.", "the old gate is rusty."]


@pytest.mark.parametrize(
    "line",
    [
        "By Marta Silva",
        "Jonas K. | 2024-03-02",
        "R. Okafor, L. M. Brandt",
        "Dr. Ute Frings, 12 May 2023",
        "P. Lund 1,*",
    ],
)
def test_author_lines_under_a_title(line):
    text = f"Cold storage of apples\n{line}\n\nApples are stored at one degree, and keep until spring.\n"
    assert blocks(text) == ["Cold storage of apples", "Apples are stored at one degree, and keep until spring."]


@pytest.mark.parametrize("line", ["Gala, Elstar and Jonagold", "By sea and land", "Storm Surges, Tide Gauges"])
def test_other_lines_under_a_title_stay(line):
    text = f"Cold storage of apples\n{line}\n\nApples are stored at one degree, and keep until spring.\n"
    assert line in blocks(text)


WEB_PAGE = """Skip to content
☰ Menu
Pine Valley Camping
Pitches
Prices
Gallery
Contact
Book now

EN | FR | NL

Home > Pitches > Camper vans

Our camper van pitches have water, power and a drain, and lie in the shade of old pine trees.

“Quiet and clean” – Margit, Graz

Arrival [dd.mm.]  Departure [dd.mm.]
Search

Opening hours: Mon–Fri 8–18, Sat 9–12
Last updated: 3 March 2024

You may also like
Canoe hire on the river
Ten walks with children

Imprint · Privacy policy · Jobs
© 2024 Pine Valley Camping GmbH
This website uses cookies. OK
"""


def test_a_web_page_keeps_its_prose():
    assert blocks(WEB_PAGE) == [
        "Pine Valley Camping", "Pitches", "Pitches", "Camper vans",
        "Our camper van pitches have water, power and a drain, and lie in the shade of old pine trees.",
        "“Quiet and clean”",
    ]  # fmt: skip


def test_headings_of_a_report_are_not_a_menu():
    text = (
        "Privacy policy\n\nWe store the address of every customer for ten years, because the law asks for it.\n\n"
        "Cookies\n\nWe do not use cookies to follow what you do on other sites, and we never did.\n\nContact\n\n"
        "Write to the office in Bern, which answers all letters within a week.\n"
    )
    assert read_layout(text).blanked == text


def test_markdown_and_html():
    text = (
        '# tidepool\n\n[![build](https://ci.example/b.svg)](https://ci.example) ![logo](img/logo.png "Logo")\n\n'
        '<p align="center"><em>A cache for weather data.</em></p>\n<img src="a.png" width="40">\n\n'
        "It stores **grid files** in [object storage](https://s3.example/docs) and _never_ on disk.\n"
        "Run `tidepool --warm /data` first, then `prefetch` the ~~old~~ new grids.<br>\n\n"
        "[docs]: https://tidepool.example/docs\n"
    )
    assert blocks(text) == [
        "tidepool", "A cache for weather data.", "It stores grid files in object storage and never on disk.",
        "Run ` ` first, then prefetch the old new grids.",
    ]  # fmt: skip


def test_markup_and_settings_without_a_fence_are_code():
    text = (
        "Cite it as follows.\n\n@article{frost2021,\n  title = {Frost damage in vineyards},\n  author = {Frost, Jo},\n"
        "  year = {2021}\n}\n\nThe settings are these.\n\nserver:\n  port: 8080\n  hosts:\n    - alpha\n    - beta\n\n"
        "The log says:\n\nstep=12 loss=0.31 lr=0.001 grad=2.2\nstep=13 loss=0.30 lr=0.001 grad=2.1\n\nIt converges.\n"
    )
    assert blocks(text) == ["Cite it as follows.", "The settings are these.", "The log says:", "It converges."]


def test_heads_of_tickets_alerts_and_pools():
    text = (
        "SUPPORT TICKET SUP-4410\n\nThe label printer jams.\n\n"
        "2025-01-02 03:04:05 ERROR [worker-3] DbPool-2 - connection refused host=db1 port=5432\n"
        "2025-01-02 03:04:09 FIRING DiskAlmostFull instance=db1\n"
    )
    assert blocks(text) == ["The label printer jams.", "connection refused", "DiskAlmostFull"]


def test_bullets_of_letters_and_arrows():
    text = (
        "FEATURES\n o Stainless steel drum with a soft start\n o Quiet brushless motor for the night\n"
        "› child lock\n▸ steam programme\n~ descale monthly\n~ clean the filter\n"
    )
    assert blocks(text) == [
        "FEATURES", "Stainless steel drum with a soft start", "Quiet brushless motor for the night", "child lock",
        "steam programme", "descale monthly", "clean the filter",
    ]  # fmt: skip


def test_titles_of_two_lines():
    assert blocks("ADAPTIVE OPTICS\nfor small telescopes\n\nIt works.\n")[0] == "ADAPTIVE OPTICS for small telescopes"
    assert blocks("NOTICE OF WORKS\nIN THE RIVER PORT\n\nIt works.\n")[0] == "NOTICE OF WORKS IN THE RIVER PORT"
    assert blocks("Veltro WX-20 Weather Station Console\n7-inch display for indoor use and outdoor sensors\n\nNew.\n")[
        0
    ] == ("Veltro WX-20 Weather Station Console")


def test_references_and_journal_heads():
    text = (
        "Annals of Glaciology 12 (2019) 44–58\n\nIce cores from the Alps\n\nThe cores were drilled in May [1].\n\n"
        "References\n[1] Huber, A., 2004. Drilling in firn. J. Ice 3,\n    10–19.\n"
        "[2] Mori, K., 2011. Dust layers in ice.\n"
        "    Polar Res. 8, 200–214.\n\nAppendix\nThe drill was built in Bern.\n"
    )
    assert blocks(text) == [
        "Ice cores from the Alps", "The cores were drilled in May [1].", "References", "Appendix",
        "The drill was built in Bern.",
    ]  # fmt: skip


def test_stage_directions_and_single_speakers():
    text = (
        "SPEAKER 1: Why did the dam fail? [coughs]\nSPEAKER 2: (laughs) Rain, and a blocked spillway.\n"
        "SPEAKER 1: Was there a warning?\nSPEAKER 2: None.\nTOWN CLERK: Time is up.\n[TAPE STOPPED]\n"
    )
    assert blocks(text) == [
        "Why did the dam fail?", "Rain, and a blocked spillway.", "Was there a warning?", "None.", "Time is up.",
    ]  # fmt: skip


# --- Code -----------------------------------------------------------------------------------------------------------


def test_code_traces_and_prompts_are_blanked():
    text = """The script fails with this error:

Traceback (most recent call last):
  File "app.py", line 3, in <module>
    main()

Use the following code instead:

    import numpy as np
    x = np.array([1, 2, 3])
    # compute the mean
    for v in x:
        print(v)

$ pip install numpy

```python
def f(x):
    return x
```
After that the gauge readings are correct.

public static void main(String[] args) {
    System.out.println("x");
}
"""
    assert blocks(text) == [
        "The script fails with this error:",
        "Use the following code instead:",
        "After that the gauge readings are correct.",
    ]


def test_the_message_of_an_exception_stays():
    text = (
        "java.lang.IllegalStateException: disk quota exceeded\n    at com.acme.Store.write(Store.java:120)\n"
        "Caused by: java.io.IOException: No space left on device\n    ... 12 more\n"
    )
    assert blocks(text) == ["disk quota exceeded", "No space left on device"]


def test_indented_prose_and_licences_are_not_code():
    text = (
        "    The old harbour was built in the twelfth century, when the river\n"
        "    still carried seagoing ships.\n\n"
        "   (a) You must give any other recipients of the Work or\n"
        "       Derivative Works a copy of this License; and\n\n"
        "   (b) You must cause any modified files to carry prominent notices\n"
        "       stating that You changed the files;\n"
    )
    assert blocks(text) == [
        "The old harbour was built in the twelfth century, when the river still carried seagoing ships.",
        "You must give any other recipients of the Work or Derivative Works a copy of this License; and",
        "You must cause any modified files to carry prominent notices stating that You changed the files;",
    ]


# --- Lists and headings ---------------------------------------------------------------------------------------------


def test_list_items():
    text = """Shopping list:
* Climbing gear
  - ice axes
  - crampons with anti-balling plates
• Food
    1) dried fruit
    2) instant noodles, at least twenty
       packets per person
(a) a map
(b) a compass
"""
    assert blocks(text) == [
        "Shopping list:", "Climbing gear", "ice axes", "crampons with anti-balling plates", "Food", "dried fruit",
        "instant noodles, at least twenty packets per person", "a map", "a compass",
    ]  # fmt: skip


def test_a_number_or_dash_at_a_wrapped_line_is_not_a_mark():
    text = "The results of the surge model are compared with those of section\n3. They agree with the readings, which\n"
    assert "section 3. They" in blocks(text)[0]
    text = "The old harbour basin of the city was filled with sand and rubble\n- a pity - in the last century.\n"
    assert len(blocks(text)) == 1


def test_headings():
    text = (
        "Storm surges\n============\n\nText.\n\n2.1 Results\nMore.\n\n"
        "## Tide gauges ##\n\n== Lock gates ==\n\n1. INTRODUCTION\nEnd.\n"
    )
    assert blocks(text) == [
        "Storm surges",
        "Text.",
        "Results",
        "More.",
        "Tide gauges",
        "Lock gates",
        "INTRODUCTION",
        "End.",
    ]


# --- Divided words --------------------------------------------------------------------------------------------------


def test_divided_words():
    text = """The hydro-
dynamic model solves the shallow
water equations on an unstruc-
tured grid. Its self-
calibrating friction law is a state-of-
the-art method. The
Navier-
Stokes solver is not used for long-
term runs. Fore-
casts of the surge are energy-
efficient, and energy is dear. An efficient forecast is well-
known in hydrology, and well-known to all of the opera\u00ad
tors.
"""
    assert words_divided(text) == [
        "hydrodynamic", "unstructured", "self-calibrating", "state-of-the-art", "Navier-Stokes", "long-term",
        "Forecasts", "energy-efficient", "well-known", "operators",
    ]  # fmt: skip


def test_the_text_is_the_dictionary():
    assert words_divided("We write e-mail to the group, and send it as e-\nmail.\n") == ["e-mail"]
    assert words_divided("A multi-agent system is a multi-\nagent system.\n") == ["multi-agent"]


def test_a_hanging_hyphen_divides_nothing():
    assert words_divided("The scripts of this system do all of the pre-\nand post-processing of the data.\n") == []


def test_the_span_that_is_left_out():
    text = "> the surge fore-\n> casting\n"
    layout = read_layout(text)
    assert [text[start:end] for start, end in layout.divided] == ["-\n> "]


# --- Pages ----------------------------------------------------------------------------------------------------------


def page(number):
    return (
        f"Wave energy converters of series {number} were tested in the basin for several months, and\n"
        f"the results were compared with numerical simulations of device {number}. The mooring lines\n"
        f"were loaded by irregular waves, and {number} peak loads were recorded by load cells at all\n"
        f"anchor points. Most of the peak loads in run {number} occurred in breaking waves, for which\n"
        f"the numerical model {number} is not valid, so that the measured loads exceeded the computed\n"
    )


def numbered_pages(between):
    numbers = ("alpha", "beta", "gamma", "delta", "epsilon")
    return "".join(
        page(name) + page(name[::-1]) + between.format(index + 11) + "loads. " for index, name in enumerate(numbers)
    )


@pytest.mark.parametrize(
    "between",
    [
        "{0}\n",
        "Journal of Ocean Engineering {0}\n",
        "\n- {0} -\n\fJournal of Ocean Engineering\n\n",
        "Page {0} of 17\n\n",
    ],
)
def test_paragraphs_continue_across_running_heads_and_page_numbers(between):
    text = numbered_pages(between)
    read = blocks(text)
    assert sum("Ocean Engineering" in block for block in read) == ("Ocean" in between)  # the first stays
    assert " ".join(read).count("computed loads.") >= 3
    assert not any("Page" in block or "12" in block.split() for block in read)


def test_a_repeated_passage_is_not_a_running_head():
    text = "\n".join(page("one") + page(name) for name in ("alpha", "beta", "gamma", "delta"))
    assert read_layout(text).blanked == text


# --- Invariants -----------------------------------------------------------------------------------------------------

LINES = st.sampled_from(
    [
        "", " ", "From: a@b.org", "Subject: storm surges", "> quoted line", ">> deeper", "- item", "  continued",
        "1. one", "(a) clause", "```", "def f(x):", "    return x;", "a,b,c", "x\ty", "North  South", "| a | b |",
        "Home > A > B", "12", "Page 3 of 17", "Journal of Tides 4", "\fJournal of Tides 5", "fore-", "casting",
        "well-", "known", "[10:32] anna: hello", "anna 10:32 AM", "Q: why?", "Note: so", "-- ", "Best regards,", "====",
        "## Head ##",
        "The storm surge model of the North Sea was calibrated with", "Gauge data of forty years were used for the",
        "WEBVTT", "00:01.000 --> 00:02.000", "<v Ann>so we", "<p>a</p><p>b</p>", "**bold** `x=1` [t](http://u)",
        "o item",
        "Ann — Today at 10:32", "10:32 < ann> hi", "10:33 * ann waves", "10:34 -!- ann has left",
        "Present: A. Bell, C. Dorn",
        "By Ann Bell", "Home", "News", "Contact", "Accept all", "Read more", "© 2024 Tides", "“Good” – Ann, Bonn",
        "§1 Start",
        "References", "[1] Bell, A., 2001. Tides. J. Sea 1, 2–3.", "a=1 b=2 c=3", "Impressum · Jobs", "a | b",
        "[laughs] so",
        "a.b.c.D: message", "\u00ad", "soft\u00ad", "\u2028", "x" * 30, "( { ; = ) }",
    ]
)  # fmt: skip


def check_invariants(text, longest):
    layout = read_layout(text, longest)
    assert len(layout.blanked) == len(text)
    assert all(old == new or (new == " " and not old.isspace()) for old, new in zip(text, layout.blanked, strict=True))
    position = 0
    for start, end in layout.blocks:
        assert position <= start < end <= start + longest
        assert layout.blanked[position:start].strip() == ""
        position = end
    assert layout.blanked[position:].strip() == ""
    position = 0
    for start, end in layout.divided:
        assert position <= start < end
        assert any(first <= start and end <= last for first, last in layout.blocks)
        position = end


@given(st.lists(LINES, max_size=40), st.sampled_from(["\n", "\r\n", "\r"]), st.integers(5, 200))
def test_invariants_of_lines(lines, line_break, longest):
    check_invariants(line_break.join(lines), longest)


@given(st.text(st.sampled_from("aB1. -–>|,:;\t\n\r\f\u2029\u2028\u00ad()[]{}=#*\"'"), max_size=200), st.integers(5, 50))
def test_invariants_of_characters(text, longest):
    check_invariants(text, longest)


def test_marks_before_a_subject_and_greetings_are_blanked():
    text = (
        "Subject: Re: Fwd: [allotments] Bonfires\nFrom: Dot Lumley\n\nDear Mr Pike, dear Ann,\n\nthe smoke is back.\n"
    )
    assert blocks(text) == ["Bonfires", "the smoke is back."]
    assert blocks("Notes\n\nHello Kitty backpacks sell well.\n") == ["Notes", "Hello Kitty backpacks sell well."]


_DESK = "From: Dot Lumley\nTo: Ahmed Khan; Service Desk\nSubject: Smoke\n\nThe service desk is closed.\n"
_QUOTE = "Yes.\n\nOn Sun, 12 Jan 2025 at 19:20, Ruth Adeyemi <ruth.a@stbrides.example> wrote:\n> The quotes.\n"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (_DESK, {"dot", "lumley", "ahmed", "khan"}),
        (_QUOTE, {"ruth", "adeyemi"}),
        ("Hi Wiremu, thanks.\n\nThe queue is gone.\n", {"wiremu"}),
        ("Notes\n\nPresent: Ilse Vos, Rory Kay (scribe)\n\nIt is done.\n", {"ilse", "vos", "rory", "kay"}),
        ("Notes\n\n| Who | Ilse, Rory |\n\nIt is done.\n", {"ilse", "rory"}),
        ("It works.\n\nKind regards\nAnneliese\n", {"anneliese"}),
    ],
)
def test_who_writes_and_is_addressed_is_known(text, names):
    assert read_layout(text).speakers == names


def test_numbered_clauses_need_their_neighbours():
    schedule = "Schedule\n\nB-1 Scope. Three meals.\n\nB-2 Food safety. Hot food.\n"
    assert blocks(schedule) == ["Schedule", "Scope. Three meals.", "Food safety. Hot food."]
    minutes = "24/091  Interests. None.\n\n24/092  Solar farm. Refused.\n"
    assert blocks(minutes) == ["Interests. None.", "Solar farm. Refused."]
    assert blocks("F-16 fighter jets\n\nThey flew.\n") == ["F-16 fighter jets", "They flew."]


def test_line_numbers_of_a_transcript_are_blanked():
    words = "We had six cases of illness reported within the four days".split()
    text = "\n".join(f"{number:2}   {word}" for number, word in enumerate(words, 1))
    assert read_layout(text).blanked.split() == words
    assert read_layout("1 apple\n2 pears\n3 plums\n").blanked.split()[-1] == "plums"


def test_lines_of_a_stamp_and_a_name_are_blanked():
    text = "[03-May-24 07:12 PM] floury#0420\nmy loaf is flat\n\n[03-May-24 07:15 PM] OldManRye\nshow us the crumb\n"
    assert blocks(text) == ["my loaf is flat", "show us the crumb"]
    assert read_layout(text).speakers >= {"floury", "oldmanrye"}


PAGE = """Skip to main content
Residents | Business | Your Council | Pay it | Licences

We use cookies on this site.  [Accept all] [Reject]

From 1 June most private landlords must hold a licence for each property that they let to others in the borough.

What you must send us
[x] gas safety certificate
[x] floor plan

You may also like:  Ottoman Garden Tiles  |  Desert Nights
© Eastmere
"""


def test_rows_of_a_pages_menu_and_links_to_other_pages_are_blanked():
    left = " ".join(blocks(PAGE))
    assert not {"Residents", "Council", "Tiles", "Nights", "[x]"} & set(left.split())
    assert "gas safety certificate" in blocks(PAGE)


def test_fields_of_names_among_other_fields_of_a_line():
    layout = read_layout("Bug\n\nReporter: Moira Tennant     Assignee: Yusuf Bağcı\nStatus: open\n\nIt fails.\n")
    assert layout.speakers == {"moira", "tennant", "yusuf", "bağcı"}
    assert "Moira" not in layout.blanked
