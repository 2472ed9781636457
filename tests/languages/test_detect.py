import unicodedata

import pytest

from mderank.languages import LANGUAGES, detect_language
from mderank.languages.word_model import large_model, small_model, trigram_model

SENTENCES = {
    "ar": (
        "تدرس المهندسة حركة الرمال على الساحل منذ عشر سنوات، وقد وجدت أن الأمواج في الشتاء تنقل منها أكثر مما كان "
        "يعتقد الناس.",
        "يفتح المتحف أبوابه كل صباح، ولكن القاعة التي فيها الخرائط القديمة ما زالت مغلقة بسبب أعمال الترميم.",
    ),
    "bg": (
        "Инженерката изучава движението на пясъка по брега от десет години и установи, че зимните вълни пренасят "
        "повече от него.",
        "Музеят отваря всяка сутрин, но залата със старите карти все още е затворена, защото покривът ѝ се ремонтира.",
    ),
    "ca": (
        "L'enginyera estudia des de fa deu anys com es mou la sorra de la platja, i ha vist que les onades de "
        "l'hivern se n'emporten més.",
        "El museu obre cada matí, però la sala amb els mapes antics encara és tancada perquè estan arreglant la "
        "teulada.",
    ),
    "cs": (
        "Inženýrka už deset let zkoumá pohyb písku na pobřeží a zjistila, že zimní vlny ho odnášejí více, než se "
        "dosud myslelo.",
        "Muzeum otevírá každé ráno, ale sál se starými mapami je stále zavřený, protože se opravuje jeho střecha.",
    ),
    "da": (
        "Ingeniøren har i ti år undersøgt, hvordan sandet flytter sig langs kysten, og hun fandt, at vinterens "
        "bølger tager mest.",
        "Museet åbner hver morgen, men salen med de gamle kort er stadig lukket, fordi taget bliver sat i stand "
        "af kommunen.",
    ),
    "de": (
        "Die Ingenieurin untersucht seit zehn Jahren, wie sich der Sand an der Küste bewegt, und fand, dass die "
        "Wellen im Winter mehr davon"
        "forttragen.",
        "Das Museum öffnet jeden Morgen, aber der Saal mit den alten Karten bleibt noch geschlossen, weil sein "
        "Dach erneuert wird.",
    ),
    "el": (
        "Η μηχανικός μελετά εδώ και δέκα χρόνια πώς κινείται η άμμος στην ακτή και βρήκε ότι τα κύματα του "
        "χειμώνα παίρνουν περισσότερη.",
        "Το μουσείο ανοίγει κάθε πρωί, αλλά η αίθουσα με τους παλιούς χάρτες είναι ακόμη κλειστή.",
    ),
    "en": (
        "The engineer has studied for ten years how the sand moves along the coast, and she found that winter "
        "waves carry more of it.",
        "The museum opens every morning, but the room with the old maps is still closed because its roof is being "
        "repaired.",
    ),
    "es": (
        "La ingeniera estudia desde hace diez años cómo se mueve la arena de la costa, y ha visto que las olas "
        "del invierno se llevan más.",
        "El museo abre cada mañana, pero la sala con los mapas antiguos sigue cerrada porque están arreglando el "
        "tejado.",
    ),
    "et": (
        "Insener on kümme aastat uurinud, kuidas liiv rannikul liigub, ja leidis, et talvised lained viivad seda "
        "rohkem kaasa.",
        "Muuseum avatakse igal hommikul, kuid vanade kaartidega saal on veel suletud, sest selle katust parandatakse.",
    ),
    "fa": (
        "این مهندس ده سال است که حرکت ماسه را در ساحل بررسی می‌کند و دریافته است که موج‌های زمستان بیشتر از آن را "
        "با خود می‌برند.",
        "موزه هر روز صبح باز می‌شود، اما تالار نقشه‌های کهن هنوز بسته است، چون سقف آن را تعمیر می‌کنند.",
    ),
    "fi": (
        "Insinööri on tutkinut kymmenen vuotta, miten hiekka liikkuu rannikolla, ja hän huomasi, että talven "
        "aallot vievät sitä enemmän.",
        "Museo avataan joka aamu, mutta vanhojen karttojen sali on vielä suljettu, koska sen kattoa korjataan.",
    ),
    "fr": (
        "L'ingénieure étudie depuis dix ans comment le sable se déplace sur la côte, et elle a trouvé que les "
        "vagues d'hiver en emportent plus.",
        "Le musée ouvre chaque matin, mais la salle des cartes anciennes est encore fermée parce que l'on répare "
        "son toit.",
    ),
    "he": (
        "המהנדסת חוקרת כבר עשר שנים כיצד נע החול לאורך החוף, והיא מצאה שגלי החורף נושאים ממנו יותר ממה שחשבו.",
        "המוזיאון נפתח בכל בוקר, אבל האולם עם המפות הישנות עדיין סגור, כי מתקנים את הגג שלו.",
    ),
    "hi": (
        "इंजीनियर दस साल से यह देख रही हैं कि तट पर रेत कैसे चलती है, और उन्होंने पाया कि सर्दी की लहरें उसे अधिक "
        "ले जाती हैं।",
        "संग्रहालय हर सुबह खुलता है, लेकिन पुराने नक्शों वाला कमरा अभी भी बंद है क्योंकि उसकी छत की मरम्मत हो रही है।",
    ),
    "hr": (
        "Inženjerka već deset godina proučava kako se pijesak kreće uz obalu i otkrila je da ga zimski valovi "
        "odnose više nego što se mislilo.",
        "Muzej se otvara svako jutro, ali dvorana sa starim kartama još je zatvorena jer joj popravljaju krov.",
    ),
    "hu": (
        "A mérnök tíz éve vizsgálja, hogyan mozog a homok a parton, és azt találta, hogy a téli hullámok többet "
        "visznek el belőle.",
        "A múzeum minden reggel kinyit, de a régi térképek terme még zárva van, mert javítják a tetejét.",
    ),
    "id": (
        "Insinyur itu sudah sepuluh tahun meneliti bagaimana pasir bergerak di pantai, dan ia menemukan bahwa "
        "ombak membawa lebih banyak.",
        "Museum dibuka setiap pagi, tetapi ruang dengan peta lama masih ditutup karena atapnya sedang diperbaiki.",
    ),
    "it": (
        "L'ingegnera studia da dieci anni come si muove la sabbia sulla costa, e ha trovato che le onde "
        "dell'inverno ne portano via di più.",
        "Il museo apre ogni mattina, ma la sala con le carte antiche è ancora chiusa perché si sta riparando il tetto.",
    ),
    "ja": (
        "技術者は十年前から海岸の砂がどのように動くかを調べており、冬の波がこれまで考えられていたより多くの砂を運ぶことが分かった。",
        "博物館は毎朝開くが、古い地図の部屋は屋根を直しているため、まだ閉まっている。",
    ),
    "ko": (
        "그 기술자는 십 년 동안 해안의 모래가 어떻게 움직이는지 조사했고, "
        "겨울 파도가 더 많은 모래를 옮긴다는 것을 알아냈다.",
        "박물관은 매일 아침 문을 열지만 옛 지도가 있는 방은 지붕을 고치고 있어서 아직 닫혀 있다.",
    ),
    "lt": (
        "Inžinierė jau dešimt metų tiria, kaip smėlis juda pakrantėje, ir nustatė, kad žiemos bangos jo nuneša "
        "daugiau.",
        "Muziejus atidaromas kiekvieną rytą, bet senų žemėlapių salė dar uždaryta, nes taisomas jos stogas.",
    ),
    "lv": (
        "Inženiere jau desmit gadus pēta, kā smiltis pārvietojas gar krastu, un atklāja, ka ziemas viļņi to "
        "aiznes vairāk.",
        "Muzejs tiek atvērts katru rītu, bet zāle ar vecajām kartēm vēl ir slēgta, jo tiek labots tās jumts.",
    ),
    "mk": (
        "Инженерката веќе десет години проучува како се движи песокот на брегот и откри дека зимските бранови "
        "однесуваат повеќе од него.",
        "Музејот се отвора секое утро, но салата со старите карти сè уште е затворена бидејќи се поправа "
        "нејзиниот покрив.",
    ),
    "nb": (
        "Ingeniøren har i ti år undersøkt hvordan sanden flytter seg langs kysten, og hun fant at vinterens "
        "bølger tar med seg mest.",
        "Museet åpner hver morgen, men salen med de gamle kartene er fortsatt stengt fordi taket blir reparert av "
        "kommunen.",
    ),
    "nl": (
        "De ingenieur onderzoekt al tien jaar hoe het zand zich langs de kust verplaatst, en zij vond dat de "
        "golven in de winter meer meenemen.",
        "Het museum gaat elke ochtend open, maar de zaal met de oude kaarten is nog gesloten omdat het dak wordt "
        "hersteld.",
    ),
    "pl": (
        "Inżynierka od dziesięciu lat bada, jak piasek przemieszcza się wzdłuż wybrzeża, i odkryła, że zimowe "
        "fale zabierają go więcej.",
        "Muzeum otwiera się co rano, ale sala ze starymi mapami jest jeszcze zamknięta, ponieważ naprawia się jej "
        "dach.",
    ),
    "pt": (
        "A engenheira estuda há dez anos como a areia se move na costa, e descobriu que as ondas do inverno levam "
        "mais do que se pensava.",
        "O museu abre todas as manhãs, mas a sala com os mapas antigos ainda está fechada porque estão a reparar "
        "o telhado.",
    ),
    "ro": (
        "Inginera studiază de zece ani cum se mișcă nisipul pe coastă și a aflat că valurile din timpul iernii "
        "iau mai mult din el.",
        "Muzeul se deschide în fiecare dimineață, dar sala cu hărțile vechi este încă închisă, fiindcă i se "
        "repară acoperișul.",
    ),
    "ru": (
        "Инженер уже десять лет изучает, как песок движется вдоль берега, и она обнаружила, что зимние волны "
        "уносят его больше.",
        "Музей открывается каждое утро, но зал со старыми картами всё ещё закрыт, потому что там чинят крышу.",
    ),
    "sk": (
        "Inžinierka už desať rokov skúma, ako sa piesok pohybuje pozdĺž pobrežia, a zistila, že zimné vlny ho "
        "odnášajú viac.",
        "Múzeum sa otvára každé ráno, ale sála so starými mapami je ešte zatvorená, pretože sa opravuje jej strecha.",
    ),
    "sl": (
        "Inženirka že deset let raziskuje, kako se pesek premika ob obali, in ugotovila je, da ga zimski valovi "
        "odnesejo več.",
        "Muzej se odpre vsako jutro, vendar je dvorana s starimi zemljevidi še zaprta, ker popravljajo njeno streho.",
    ),
    "sr": (
        "Инжењерка већ десет година проучава како се песак креће дуж обале и открила је да га зимски таласи "
        "односе више него што се мислило.",
        "Музеј се отвара свако јутро, али сала са старим картама још је затворена јер јој поправљају кров.",
    ),
    "sv": (
        "Ingenjören har i tio år undersökt hur sanden rör sig längs kusten, och hon fann att vinterns vågor för "
        "bort mer av den.",
        "Museet öppnar varje morgon, men salen med de gamla kartorna är fortfarande stängd eftersom taket lagas.",
    ),
    "ta": ("பொறியாளர் பத்து ஆண்டுகளாக கடற்கரையில் மணல் எவ்வாறு நகர்கிறது என்று ஆய்வு செய்கிறார்.",),
    "th": (
        "วิศวกรศึกษาการเคลื่อนที่ของทรายตามชายฝั่งมาสิบปีแล้ว และพบว่าคลื่นในฤดูหนาวพัดทรายไปมากกว่าที่เคยคิด",
        "พิพิธภัณฑ์เปิดทุกเช้า แต่ห้องที่มีแผนที่เก่ายังคงปิดอยู่เพราะกำลังซ่อมหลังคา",
    ),
    "tr": (
        "Mühendis on yıldır kumun kıyı boyunca nasıl hareket ettiğini inceliyor ve kış dalgalarının daha çok kum "
        "taşıdığını buldu.",
        "Müze her sabah açılıyor, ama eski haritaların olduğu salon çatısı onarıldığı için hâlâ kapalı.",
    ),
    "uk": (
        "Інженерка вже десять років вивчає, як пісок рухається вздовж берега, і вона виявила, що зимові хвилі "
        "забирають його більше.",
        "Музей відчиняється щоранку, але зала зі старими картами ще зачинена, бо там лагодять дах.",
    ),
    "vi": (
        "Nữ kỹ sư đã nghiên cứu suốt mười năm cách cát di chuyển dọc bờ biển và thấy rằng sóng mùa đông cuốn đi "
        "nhiều hơn.",
        "Bảo tàng mở cửa mỗi sáng, nhưng phòng có các bản đồ cũ vẫn còn đóng vì mái nhà đang được sửa.",
    ),
    "zh": (
        "这位工程师十年来一直研究海岸上的沙子如何移动，她发现冬天的海浪带走的沙子比人们以前认为的更多。",
        "博物館每天早上開放，但是因為屋頂正在修理，放舊地圖的房間還沒有開。",
    ),
}  # fmt: skip

ENGLISH = (
    "Storm closes harbour for third day",
    "Minister resigns",
    "neural networks, deep learning, gradient descent",
    "keyphrase extraction; document embeddings; unsupervised ranking",
    "forest fire policy, western fire season, national forests, fire crews",
    "non-linear optimization, non-convex",
    "Angela Merkel, Emmanuel Macron, Pedro Sánchez, Lech Wałęsa",
    "Johann Sebastian Bach",
    "The Universidad de la República and the École normale were founded by the state, and both of them are public.",
    "def main(args):\n    for item in args:\n        print(item)\n    return None\n",
    "SELECT name, id FROM users WHERE id = 3 ORDER BY name;",
    "<div class='a'><p id='b'>x</p></div>",
    "| 1.0 | 2.5 | 3.7 |\n| 4 | 5 | 6 |",
    "https://example.org/index.html?id=5",
)


@pytest.mark.parametrize("code", SENTENCES)
def test_sentences(code):
    for sentence in SENTENCES[code]:
        for text in (sentence, sentence.upper(), sentence + "\n\n" + sentence):
            detected = detect_language(text)
            assert (detected.code, text) == (code, text)
            assert detected.certainty > 0.9


@pytest.mark.parametrize("text", ENGLISH)
def test_headlines_names_and_code_are_english(text):
    assert detect_language(text).code == "en"


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "kubernetes docker helm",
        "x = y + z; f(x) = 0; α, β",
        "12 345 67",
        "ERROR 404",
        "\ud800",
        "a" * 10_000,
        "word " * 600,
    ],
)
def test_in_doubt_it_is_english(text):
    detected = detect_language(text)
    assert detected.code == "en"
    assert detected.certainty <= 0.5


def test_a_header_does_not_decide():
    header = "This is the home page of the institute. You can also read it in other languages. " * 3
    assert detect_language(header + " ".join(SENTENCES["de"]) * 10).code == "de"
    assert detect_language(header + " ".join(SENTENCES["ja"]) * 10).code == "ja"
    assert detect_language(" ".join(SENTENCES["de"]) + " ".join(SENTENCES["en"]) * 10).code == "en"


def test_english_terms_in_other_languages():
    assert (
        detect_language("Wir trainieren ein Transformer Modell mit Self-Attention und Masked Language Modeling.").code
        == "de"
    )
    assert detect_language("ニューラルネットワーク (neural network) を用いた機械翻訳の研究").code == "ja"
    assert detect_language("我们使用 Python 和 TensorFlow 进行 deep learning 实验，结果表明该方法有效。").code == "zh"


def test_decomposed_letters_and_capitals():
    for code in ("fr", "vi", "cs", "ko"):
        assert detect_language(unicodedata.normalize("NFD", SENTENCES[code][0])).code == code


def test_codes_are_those_of_the_table():
    for script in ("Latin", "Cyrillic", "Arabic", "Hebrew", "Devanagari"):
        assert set(small_model(script).codes) <= set(LANGUAGES)
        assert small_model(script).codes == large_model(script).codes
        assert trigram_model(script).matrix.shape[1] == len(large_model(script).codes)


def test_a_long_text_is_read_in_three_places_only():
    """A text that answers with itself for every slice counts what is read of it."""

    class Text(str):
        read = 0

        def __getitem__(self, key):
            part = super().__getitem__(key)
            Text.read += len(part)
            return part

    assert detect_language(Text(SENTENCES["de"][0] * 10_000)).code == "de"
    assert Text.read == 2_100
