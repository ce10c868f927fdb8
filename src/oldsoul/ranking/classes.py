"""Kinds of things and what belongs to them, so that a question about instruments finds the violin.

General English, one word a member: of names with several words the one that tells. Questions are widened by it, texts
are not.
"""

from __future__ import annotations

from functools import cache, lru_cache

from oldsoul.ranking.terms import terms

_TABLE = {
    "instrument": """violin viola cello bass guitar ukulele banjo mandolin harp piano keyboard organ synthesizer accordion
        flute clarinet oboe bassoon saxophone trumpet trombone tuba horn drum drums percussion harmonica recorder sitar""",
    "sport, sports, athletic, workout, exercise, fitness": """soccer football basketball baseball softball volleyball tennis
        badminton squash golf hockey rugby cricket lacrosse swimming swim diving surfing snowboarding skiing ski skating
        skateboarding rowing kayaking canoeing sailing climbing bouldering hiking running jogging marathon sprint cycling
        triathlon gymnastics boxing kickboxing wrestling karate judo taekwondo fencing archery yoga pilates crossfit weights
        lifting gym aerobics zumba cardio treadmill pushups stretching training frisbee bowling polo dance""",
    "martial art, martial": """karate judo taekwondo kickboxing boxing aikido kendo kungfu kung jiu jitsu muay wrestling
        mma capoeira krav fencing""",
    "hobby, activity, pastime, interest, leisure, free time, fun": """painting drawing sketching pottery ceramics sculpture
        knitting crochet sewing quilting embroidery woodworking carving photography reading writing journaling poetry
        blogging gardening cooking baking brewing hiking camping fishing hunting swimming surfing skiing snowboarding
        climbing running jogging cycling biking dancing singing yoga meditation gaming chess puzzles boardgames lego
        birdwatching stargazing astronomy origami calligraphy collecting traveling museum concert movie picnic
        kayaking canoeing sailing skating bowling golf tennis soccer basketball karaoke volunteering guitar piano violin
        drums crafts scrapbooking beach zoo marshmallows theater""",
    "outdoor": """hiking camping climbing mountaineering kayaking canoeing rafting fishing cycling trail trails
        mountain lake forest beach surfing skiing snowboarding picnic backpacking running gardening park sailing""",
    "pet, animal": """dog cat puppy kitten rabbit bunny hamster gerbil guinea parrot parakeet canary bird fish goldfish turtle
        tortoise snake lizard gecko iguana ferret horse pony chicken duck goat pig cow sheep frog tarantula hedgehog
        rat mouse chinchilla lion tiger elephant giraffe monkey bear wolf fox deer whale dolphin shark owl eagle penguin""",
    "breed": """labrador retriever shepherd poodle beagle bulldog dachshund corgi husky terrier collie spaniel chihuahua
        pug rottweiler dalmatian boxer siamese persian bengal sphynx maine coon mutt mixed""",
    "dog": """labrador retriever shepherd sheepdog poodle beagle bulldog dachshund corgi husky terrier collie spaniel
        chihuahua pug rottweiler dalmatian whippet greyhound shiba akita malinois doodle pup mutt""",
    "company, firm, employer, employ, practice": "office studio agency startup consultancy ltd inc gmbh",
    "editor, ide": "vim neovim emacs vscode zed sublime intellij goland pycharm xcode notepad jetbrains cursor",
    "food, dish, meal, snack, eat, cuisine, recipe, ingredient": """pizza pasta spaghetti lasagna noodles ramen sushi rice curry
        soup stew chili salad sandwich burger hotdog taco burrito quesadilla steak chicken beef pork lamb turkey bacon ham
        sausage fish salmon tuna shrimp lobster crab eggs omelette pancakes waffles toast bread bagel croissant cereal
        oatmeal granola yogurt cheese butter tofu beans lentils hummus falafel vegetables veggies broccoli carrots spinach
        kale potatoes fries tomato onion garlic mushrooms fruit apple banana orange berries strawberry mango avocado nuts
        chocolate cake cookies pie brownies muffins cupcakes icecream donuts candy popcorn chips smoothie dumplings
        dessert barbecue bbq seafood roast casserole tart sauce""",
    "dessert, sweet, treat, bake, pastry": """cake cookies pie brownies muffins cupcakes cheesecake pudding icecream gelato
        sorbet donuts tart pastry chocolate custard tiramisu macarons candy fudge parfait crumble cobbler cinnamon""",
    "drink, beverage": "coffee tea espresso latte juice soda lemonade smoothie water milk beer wine cocktail whisky champagne cider",
    "fruit": "apple banana orange grape berry berries strawberry blueberry raspberry mango peach pear plum cherry melon kiwi lemon",
    "vegetable": "carrot broccoli spinach kale lettuce cabbage tomato cucumber pepper onion potato pumpkin zucchini bean corn",
    "allergy, allergic": "peanut peanuts nuts shellfish shrimp dairy milk lactose gluten wheat egg soy pollen dust fur dander penicillin",
    "colour": "red orange yellow green blue purple violet pink brown black white grey gold silver turquoise teal beige maroon",
    "country, nation, abroad, european, europe, asia, international, travel": """england britain uk scotland ireland wales
        france germany italy spain portugal netherlands belgium switzerland austria denmark sweden norway finland iceland
        poland czech hungary greece turkey russia ukraine romania croatia bulgaria serbia china japan korea taiwan india
        pakistan nepal thailand vietnam indonesia malaysia singapore philippines australia zealand canada america usa
        mexico brazil argentina chile peru colombia cuba jamaica egypt morocco kenya nigeria ghana ethiopia africa israel
        jordan dubai iran iraq bali hawaii""",
    "city, town, place, travel, visit, trip, vacation, destination": """london paris rome milan venice florence madrid barcelona
        lisbon berlin munich hamburg vienna prague budapest warsaw amsterdam brussels zurich geneva copenhagen stockholm
        oslo helsinki dublin edinburgh athens istanbul moscow tokyo kyoto osaka seoul beijing shanghai hongkong taipei
        bangkok hanoi singapore mumbai delhi sydney melbourne auckland york nyc boston chicago seattle portland francisco
        angeles vegas diego denver austin dallas houston miami orlando atlanta philadelphia washington detroit nashville
        orleans toronto vancouver montreal mexico havana rio cairo nairobi""",
    "state": """alabama alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii idaho illinois
        indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi missouri montana
        nebraska nevada hampshire jersey mexico york carolina dakota ohio oklahoma oregon pennsylvania tennessee texas utah
        vermont virginia washington wisconsin wyoming""",
    "area, region, place": "coast mountains desert northwest northeast southwest southeast midwest valley island lake countryside downtown",
    "kid": "son daughter boy girl baby toddler twins teenager",
    "family, relative": "mom dad son daughter brother sister husband wife kid grandma grandpa aunt uncle cousin niece nephew parents",
    "parent": "mom dad",
    "sibling": "brother sister twin",
    "partner, relationship, romantic, date, dating": """husband wife boyfriend girlfriend fiance married engaged single divorced
        widow breakup dating wedding""",
    "job, career, work, profession, position, living, field": """teacher nurse doctor dentist surgeon lawyer engineer programmer
        developer designer architect accountant banker manager director consultant analyst scientist researcher professor
        writer journalist editor photographer artist actor musician chef cook baker waiter bartender barista driver pilot
        mechanic electrician plumber carpenter farmer gardener firefighter police officer soldier veterinarian therapist
        counselor psychologist coach trainer librarian secretary salesman cashier intern freelance startup hired promoted
        promotion internship counseling engineering marketing nursing teaching""",
    "study, major, degree, subject, education, course": """math physics chemistry biology history geography literature economics
        psychology philosophy sociology engineering medicine law business marketing accounting art music linguistics
        journalism education nursing architecture degree diploma certificate masters phd""",
    "event, occasion, attend": """concert festival conference convention workshop seminar parade party wedding birthday graduation
        reunion fair fundraiser gala ceremony exhibition exhibit show marathon race tournament competition meetup rally
        protest march auction picnic barbecue retreat camp funeral anniversary speech talk meeting webinar charity""",
    "art, artwork, craft, create, creative": """painting drawing sketch sculpture pottery ceramics portrait landscape mural
        watercolor acrylic oil canvas photography collage print abstract mosaic clay bowl vase knitting jewelry""",
    "music, genre": "rock pop jazz blues classical country folk rap hiphop reggae metal punk indie electronic techno soul gospel opera",
    "movie, genre, series": """thriller comedy drama horror romance action adventure fantasy scifi documentary animation western
        mystery musical trilogy superhero""",
    "book, genre, read": "novel fantasy mystery biography memoir poetry thriller romance history fiction nonfiction scifi trilogy classic",
    "game, video game": """chess poker monopoly scrabble checkers cards puzzle xbox playstation nintendo switch minecraft zelda mario
        pokemon fortnite rpg strategy shooter tournament console""",
    "health, medical, illness, condition, sick, injury": """flu cold fever cough covid asthma diabetes cancer migraine headache allergy
        arthritis anxiety depression insomnia injury sprain fracture broken surgery infection pain ankle knee back ulcer
        gastritis concussion heart pressure obesity hospital diagnosed""",
    "emotion, feeling, feel": """happy sad angry scared nervous anxious excited proud grateful thankful lonely stressed overwhelmed
        frustrated disappointed relieved hopeful calm peaceful jealous guilty embarrassed surprised thrilled""",
    "clothes, clothing, wear, fashion, outfit": """shirt tshirt hoodie sweater sweatshirt jacket coat dress skirt jeans pants shorts
        suit shoes sneakers boots sandals heels hat cap scarf gloves socks necklace bracelet ring earrings watch bag""",
    "item, object, buy, gift, thing, possession": """shoes sneakers book watch necklace ring bracelet mug bowl doll toy figurine
        camera phone laptop computer tablet headphones bike car guitar piano lamp chair couch table bed painting poster
        jacket dress hat bag wallet candle plant flowers card ticket console mattress""",
    "vehicle, transport, car": """toyota honda ford chevrolet bmw mercedes audi tesla volkswagen subaru nissan hyundai mazda jeep
        ferrari porsche prius truck van suv motorcycle scooter bike bus train boat""",
    "device, gadget, electronic, technology": """phone laptop computer tablet camera headphones speaker tv console drone printer
        router smartwatch iphone ipad macbook keyboard monitor""",
    "plant, flower": """rose roses tulip lily daisy sunflower orchid lavender peony violet succulent cactus fern basil mint tomato
        herb tree oak pine maple bamboo ivy""",
    "religion, belief, faith, spiritual": """church temple mosque synagogue christian catholic muslim jewish buddhist hindu
        bible prayer pray god meditation atheist""",
    "stress, relax, destress, unwind, calm, cope, self-care": """yoga meditation running walk walks hike reading music bath massage
        painting pottery gardening swimming therapy therapeutic breathing journaling nature dance violin piano""",
    "pollution, environment": "plastic recycling climate carbon waste solar emissions trash cleanup conservation",
    "cause, charity, volunteer, community": """shelter homeless veterans foodbank donation fundraiser charity education school
        environment animal orphanage hospital toy drive mentoring tutoring cleanup soup kitchen refugees""",
    "symbol": "flag rainbow cross heart eagle star tattoo necklace pendant dove ring emblem",
    "background, origin, heritage, root, ancestry, ethnicity, nationality, citizenship": """half born raised grew native
        immigrant immigrated descent german french italian spanish portuguese dutch belgian swiss austrian danish swedish
        norwegian finnish polish czech hungarian greek turkish russian ukrainian romanian irish scottish welsh english
        british chinese taiwanese japanese korean vietnamese thai filipino indonesian malaysian indian pakistani
        bangladeshi nepali iranian persian iraqi arab egyptian moroccan algerian tunisian lebanese syrian israeli jewish
        kenyan nigerian ghanaian ethiopian american canadian mexican brazilian argentinian chilean peruvian colombian
        cuban jamaican latino latina asian african european australian""",
    "language": "english spanish french german italian portuguese dutch russian chinese mandarin japanese korean arabic hindi turkish",
    "software, tool, programming, code": "python java javascript rust golang docker postgres mysql sqlite git vim vscode react django linux",
    "weather": "rain rainy snow snowy sunny cloudy storm thunder hurricane wind windy hot cold heatwave fog",
    "season": "spring summer autumn fall winter",
    "holiday": "christmas easter thanksgiving halloween hanukkah diwali ramadan valentine newyear",
    "style, dance": "ballet salsa tango hiphop contemporary jazz ballroom swing waltz breakdance tap bachata flamenco",
    "yoga": "aerial hatha vinyasa ashtanga bikram kundalini yin restorative iyengar",
    "achievement, accomplishment, accomplish, award, milestone, proud": """medal trophy prize award certificate degree promotion
        graduated graduation won champion finished published record scholarship diploma title""",
    "challenge, setback, problem, struggle, difficulty, obstacle, trouble": """injury injured lost failed failure broke broken
        rejected rejection delay delayed cancelled accident sick quit fired debt crash stuck doubt pressure breakup""",
    "place, location, visit, spot": """museum park beach restaurant cafe library zoo gallery castle cathedral temple market
        mall bar pub stadium aquarium garden lake mountain waterfall island forest bridge tower farm""",
    "nature, landscape, view": "mountain lake river ocean sea beach forest waterfall sunset sunrise desert canyon valley sky stars",
    "medication, medicine, treatment": "aspirin ibuprofen antibiotics insulin inhaler pills vitamin vaccine therapy surgery ointment",
    "symptom": "pain fever cough headache nausea dizzy rash fatigue swelling bleeding insomnia cramps",
    "social media, platform, website, app": """instagram facebook twitter tiktok youtube snapchat whatsapp telegram reddit linkedin
        pinterest discord twitch spotify netflix blog podcast""",
    "disaster": "earthquake flood hurricane tornado fire wildfire storm tsunami drought blizzard",
    "goal, dream, ambition, plan": "marathon business travel book degree house career promotion startup championship retire",
    "skill, learn": "cooking coding programming language piano guitar swimming driving sewing dancing photography drawing chess",
    "quality, trait, personality, attribute, character": """kind caring thoughtful honest brave creative patient generous loyal
        passionate driven determined selfless supportive ambitious curious shy funny resilient authentic""",
    "meat": "beef pork chicken lamb turkey bacon ham sausage steak",
    "furniture": "table chair couch sofa desk bed shelf bookcase dresser lamp wardrobe mattress",
    "house, live": "flat apartment condo cottage mansion villa cabin studio bedroom mortgage rent lease",
}
"""Kinds, by the words that name them, and what belongs to them."""


@cache
def _lists() -> dict[str, list[str]]:
    """Lists of members by the term that names their kind; a kind of two words by both, with a space."""
    found: dict[str, list[str]] = {}
    for names, listed in _TABLE.items():
        for name in names.split(","):
            found.setdefault(" ".join(terms(name)), []).append(listed)
    return found


@lru_cache(maxsize=256)
def _belonging(name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(term for listed in _lists().get(name, ()) for term in terms(listed)))


def members(term: str, follower: str = "") -> tuple[str, ...]:
    """The terms of what belongs to a kind, by the term that names it and perhaps the one after; none for no kind."""
    return _belonging(f"{term} {follower}") or _belonging(term)
