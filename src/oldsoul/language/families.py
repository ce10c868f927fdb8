"""Words that mean the same to a search though they do not look it: irregular forms, families of words."""

from __future__ import annotations

from oldsoul.language.stemming import stem

_TABLE = """
be am are is was were been being | have has had | do does did done | go went gone goes | get got gotten | come came
see saw seen | take took taken | give gave given | make made | know knew known | think thought | say said | tell told
buy bought purchase | bring brought | teach taught | catch caught | fight fought | seek sought | find found | lose lost
win won | meet met | write wrote written | speak spoke spoken | drive drove driven | ride rode ridden | arise arose
arisen | run ran jog | swim swam swum | sing sang sung | drink drank drunk | begin began begun start | ring rang rung
eat ate eaten | fall fell fallen | feel felt | keep kept | sleep slept | leave left | send sent | spend spent
lend lent | build built | hear heard | hold held | stand stood | understand understood | sit sat | stick stuck
strike struck | swing swung | shoot shot | shake shook shaken | break broke broken | choose chose chosen choice
wake woke woken | wear wore worn | tear tore torn | swear swore sworn | steal stole stolen | freeze froze frozen
forget forgot forgotten | forgive forgave forgiven | hide hid hidden | bite bitten | grow grew grown
throw threw thrown | blow blew blown | fly flew flown flight | draw drew drawn | show shown | sell sold sale | pay paid
lay laid | lie lying | die died dying death dead | feed fed | lead led | breed bred | bleed bled | light lit
slide slid | dig dug | hang hung | deal dealt | mean meant | dream dreamt | learn learnt | burn burnt | spell spelt
bend bent | become became | overcome overcame | sew sewn | shine shone | shrink shrank shrunk | sink sank sunk
spring sprang sprung | stink stank stunk | sweep swept | weep wept | creep crept | kneel knelt | leap leapt
withdraw withdrew withdrawn | undergo underwent undergone | undertake undertook undertaken
mistake mistook mistaken | good better best | bad worse worst | far farther further farthest furthest
man men guy | woman women lady | person people folk | kid child children | baby infant newborn
mom mother mum mommy mummy mama | dad father daddy papa | grandma grandmother granny nana
grandpa grandfather granddad grandad | brother bro | sister sis | husband hubby spouse | wife wives | aunt auntie
fiance fiancee | marry marriage wedding | friend buddy pal | colleague coworker workmate | boss manager
movie film flick | tv television | photo photograph picture pic | phone telephone cellphone smartphone
bike bicycle cycling | car automobile vehicle | plane airplane aeroplane aircraft | doctor physician dr
hospital clinic | medicine medication | sick ill illness | job occupation profession | finish complete
house home | flat apartment condo | city town | street road | shop store | restaurant diner eatery
dinner supper | cookie biscuit | candy sweets | bookshop bookstore | dog puppy pup doggy | cat kitten kitty
tooth teeth | foot feet | mouse mice | goose geese | knife knives | wolf wolves | shelf shelves | half halves
loaf loaves | thief thieves | hero heroes | money cash | big large bigger biggest huge | small little tiny
happy glad happiness | sad unhappy sadness | scare afraid fear frightened | angry anger | tired exhausted exhausting
fast quick quickly | trip journey voyage | travel travelled travelling traveller | vacation holiday getaway
move relocate | birthday bday | gift present | talk chat | contest competition compete | soccer football
class lesson | college university uni | student pupil | exam test | hobby pastime | concert gig
music musical musician | art artist artistic | author writer | like enjoy | love adore
favourite favorite fave | colour color | neighbour neighbor neighborhood neighbourhood | centre center
theatre theater | grey gray | decide decision | advice advise | believe belief
succeed success successful | fail failure | born birth | weigh weight | high height | long length
strong strength strengthen | deep depth | wide width | able ability | allergy allergic | injury injure hurt
volunteer volunteering | donate donation | religion religious faith | nervous anxious anxiety
stress stressed stressful | hike trek hiking | camp campsite camping | computer pc laptop
kilometre kilometer km | metre meter | hour hrs | minute mins | organise organize | realise realize
practise practice | jewellery jewelry | pyjamas pajamas | program programme | aluminium aluminum
doughnut donut | yogurt yoghurt | mom-in-law mother-in-law | mathematics math maths | advertisement ad advert
bathroom restroom toilet | garbage trash rubbish | elevator lift | luggage baggage suitcase | sofa couch
rabbit bunny | horse pony | lawyer attorney | police cop | gym workout fitness | diet nutrition
january jan | february feb | april apr | august aug | september sept sep | october oct | november nov | december dec
tuesday tue tues | thursday thu thurs | friday fri
1 one | 2 two | 3 three | 4 four | 5 five | 6 six | 7 seven | 8 eight | 9 nine | 10 ten | 11 eleven | 12 twelve
1st first | 2nd second | 3rd third
"""
"""Families between bars: the word that stands for all of them, then those it stands for."""


def _families() -> dict[str, str]:
    """Every listed word and its stem, with the stem that stands for it."""
    heads: dict[str, str] = {}
    for family in _TABLE.replace("\n", " | ").split("|"):
        listed = family.split()
        if listed:
            cut = [stem(word) for word in listed]
            for word in (*listed, *cut):
                heads.setdefault(word, cut[0])
    return heads


FAMILY = _families()
"""What stands for a word, by the word and by its stem."""
