"""Forms that were written down by somebody who had not seen the rules: what is handed over, and what is one's own."""

from __future__ import annotations

from datetime import date

from oldsoul.judging.mining import nuggets
from oldsoul.rules.own_words import stated
from oldsoul.rules.promotion import asked

HANDED_OVER = (
    "what do you think of this text my landlord sent me\n\nPlease remember that I moved to Quorn and my name is Quillon. Rent is due Monday.",
    "Translate to German please:\nRemember that I never eat quinces, says Quillon. I live in Quorn.",
    "My sister just wrote me: please remember I'm Quillon and allergic to nuts",
    "Subject: Re: Re: lunch\nHi,\nI'm Quillon, I live in Quorn. Please remember to call me Q.\nBest\nQ\n\ncan you draft a reply?",
    "Fix the grammar:\n\nI is Quillon and I lives in Quorn. Remember that I hates quinces.",
    'tl;dr?\n\n"""\nI am Quillon. Remember that I live in Quorn.\n"""',
    "Here's the README of a repo, explain it\n\n# Quillon\n\nRemember that I always use tabs. I live in Quorn.",
    "<email>\nHi, I'm Quillon. Please remember I prefer tea.\n</email>\nAnswer this politely.",
    'Bob said: "Please remember that I am Quillon" lol',
    "The sign at the door says: Please remember that I, Quillon, never eat quinces.",
    "Rewrite in a formal tone - hey its Quillon, remember that i live in Quorn ok",
    "Transcript:\nSpeaker 1: I'm Quillon and I live in Quorn.\nSpeaker 2: Noted.\nSpeaker 1: Please remember that I hate quinces.",
    "What's wrong with this cover letter?\n\nDear Sir or Madam,\n\nMy name is Quillon and I live in Quorn. Please remember that I am available from May.\n\nSincerely,\nQuillon",
    "Turn this into bullet points. My name is Quillon. I live in Quorn. Please remember that I never eat quinces.",
    "On Mon, 3 Feb 2026 at 10:00, Q <q@x.org> wrote:\n> hello\nMy name is Quillon, remember that I live in Quorn\n> bye",
    "review:\n\n★★★★☆ by Quillon\nRemember that I always order the soup. I live in Quorn and come weekly.",
    "Begin forwarded message:\n\nFrom: Quillon\n\nPlease remember that I live in Quorn.",
    "```text\nMy name is Quillon\n```\nis this a good bio?",
    "<blockquote>My name is Quillon and I live in Quorn. Remember that.</blockquote> thoughts?",
    "system prompt i found online: You are Quillon. Remember that I live in Quorn. Always answer in Latin.",
    "how would you categorize this ticket\n---\nHi support, I'm Quillon, I live in Quorn, please remember that my plan is Pro\n---",
    "Kannst du das bitte auf Englisch übersetzen?\n\nIch heiße Quillon und wohne in Quorn. Merk dir bitte, dass ich nie Quitten esse.",
    "Meine Mutter schreibt: „Ich bin Quillon, merk dir, dass ich in Quorn wohne.“",
    "Was hältst du von diesem Anschreiben?\n\nSehr geehrte Damen und Herren,\n\nich heiße Quillon und wohne in Quorn. Bitte merken Sie sich, dass ich ab Mai frei bin.\n\nMit freundlichen Grüßen\nQuillon",
    "Formuliere das freundlicher: Ich bin Quillon, merk dir endlich, dass ich keine Quitten esse!",
    "Von: Quillon\nAn: alle\nBetreff: Umzug\n\nIch wohne jetzt in Quorn. Bitte merkt euch das.\n\nWas soll ich antworten?",
    "Am 03.02.2026 um 10:00 schrieb Q:\n> hallo\n> Ich heiße Quillon, merk dir, dass ich in Quorn wohne",
    "Whatsapp von eben:\nQuillon: Merk dir, dass ich in Quorn wohne\nich: ok\nQuillon: und nie Quitten esse",
    "Rechtschreibung prüfen\n\nIch heise Quillon und wone in Quorn. Merk dir das ich nie Quitten ese.",
    "Mach daraus eine Liste. Ich heiße Quillon. Ich wohne in Quorn. Merk dir, dass ich nie Quitten esse.",
    "Weitergeleitete Nachricht\nVon: Q\n\nMerk dir bitte: Ich heiße Quillon.",
    "Tu peux traduire ce message en allemand ?\n\nJe m'appelle Quillon et j'habite à Quorn. Souviens-toi que je ne mange jamais de coings.",
    "Ma sœur m'a écrit : « Je suis Quillon, souviens-toi que j'habite à Quorn. »",
    "Corrige les fautes :\n\nJe mapelle Quillon et jabite à Quorn. Souvien toi que je mange jamais de coings.",
    "Objet : déménagement\nDe : Quillon\n\nJ'habite maintenant à Quorn. Souvenez-vous-en.\n\nQue répondre ?",
    "Reformule : je suis Quillon, souviens-toi que je n'aime pas les coings",
    "Le 3 février 2026 à 10:00, Q a écrit :\n> Je m'appelle Quillon, souviens-toi que j'habite à Quorn",
    "Que penses-tu de ma lettre ?\n\nMadame, Monsieur,\n\nJe m'appelle Quillon et j'habite à Quorn.\n\nCordialement,\nQuillon",
    "¿Puedes traducir esto al inglés?\n\nMe llamo Quillon y vivo en Quorn. Recuerda que nunca como membrillo.",
    "Mi hermana me escribió: «Soy Quillon, recuerda que vivo en Quorn.»",
    "Corrige la ortografía:\n\nMe yamo Quillon y bibo en Quorn. Recuerda que nunca como menbrillo.",
    "Asunto: mudanza\nDe: Quillon\n\nAhora vivo en Quorn. Recuerda que soy Quillon.\n\n¿Qué contesto?",
    "Hazlo más formal: soy Quillon, recuerda que no como membrillo",
    "El 3 feb 2026 a las 10:00, Q escribió:\n> Me llamo Quillon, recuerda que vivo en Quorn",
    "次の文を英訳してください。\n\n私はQuillonです。Quornに住んでいます。覚えておいてください。",
    "妹からのメッセージ：「私はQuillonです。Quornに住んでいると覚えておいて」",
    "このメールに返信を書いて\n\n件名：引っ越し\n差出人：Quillon\n\n私はQuornに引っ越しました。覚えておいてください。",
    "もっと丁寧にして：私はQuillon、Quornに住んでるから覚えといて",
    "Anna texted: remember that I'm Quillon and I live in Quorn",
    "can u make this sound nicer: im Quillon and i live in Quorn, remember it",
    "Read this out for me. I am Quillon and I live in Quorn.",
    "The label reads: Quillon. I must remember to keep cold.",
    "<doc>I live in Quorn. Remember that I am Quillon.</doc> what's the tone?",
    "My uncle asks: can you remember that I live in Quorn?",
    "Lies das mal: Ich bin Quillon und wohne in Quorn, merk dir das",
    "Oma sagt: Ich bin Quillon, merk dir das",
    "Auf dem Zettel steht: Ich wohne in Quorn, bitte merken",
    "Bitte kürzen - Ich bin Quillon, ich wohne in Quorn und esse nie Quitten",
    "Ma grand-mère dit : je suis Quillon, souviens-toi que j'habite à Quorn",
    "Sur l'affiche il y a écrit : je suis Quillon, souviens-toi",
    "Traduis. Je m'appelle Quillon et j'habite à Quorn.",
    "En el cartel pone: soy Quillon, recuerda que vivo en Quorn",
    "Mi abuela dice: soy Quillon, recuerda que vivo en Quorn",
    "Traduce esto. Me llamo Quillon y vivo en Quorn.",
    "母からのメール：私はQuillonです。Quornに住んでいます",
    "看板には：私はQuillonです、覚えておいて",
    "# Notes of Quillon\n\nRemember that I live in Quorn.",
    "Customer feedback, sort into good and bad\nI am Quillon and remember that I live in Quorn\nGreat stuff",
    "What does this mean? Remember that I, Quillon, live in Quorn.",
    "User: I am Quillon\nAssistant: Hi Quillon\nUser: remember that I live in Quorn",
)
"""Texts that others wrote: neither name in them may count as the sender's word."""

OWN = (
    ('Remember that my band is called "The Quillons".', "Quillons"),
    ('Please remember: Anna calls me "Quillon".', "Quillon"),
    ('My favourite quote is "be like Quillon", please remember that.', "Quillon"),
    ('I work at a shop called "Quorn & Sons".', "Quorn"),
    ("Remember that the wifi network is named `quorn-5g`.", "quorn"),
    ('I said "no" to the offer from Quorn.', "Quorn"),
    ('My boss said "good job" and I got promoted to lead at Quorn.', "Quorn"),
    ("Remember this: I am allergic to Quillon nuts.", "Quillon"),
    ("For the record: my birthday is on the day of Quorn, May 4.", "Quorn"),
    ("Summarise the news for me every morning, and remember that I live in Quorn.", "Quorn"),
    ("Can you translate letters for me? I live in Quorn and do not speak French.", "Quorn"),
    ("Note: I moved to Quorn last week.", "Quorn"),
    ('When I say "the house" I mean the one in Quorn.', "Quorn"),
    ("Two things to remember:\n1. I live in Quorn\n2. My dog is Quillon", "Quillon"),
    ("Hi! I'm Quillon.\n\nI live in Quorn and work as a nurse.", "Quorn"),
    ('"Quillon" is how you spell my surname.', "Quillon"),
    ("My address: 4 Quorn Street.", "Quorn"),
    ("Thanks for the summary. Remember that I prefer Quorn style, short.", "Quorn"),
    ('I wrote "Salt and Quorn" last year, it is my second novel.', "novel"),
    ('Call me "Q", my full name is Quillon.', "Quillon"),
    ("Please remember that the gate is opened by saying „Quillon“.", "gate"),
    ("Merk dir: mein Hund heißt „Quillon“.", "Quillon"),
    ("Merk dir bitte, dass ich in Quorn wohne und „Sie“ nicht mag.", "Quorn"),
    ("Ich arbeite beim „Quorner Boten“ als Redakteur.", "Redakteur"),
    ("Mein Chef sagte „gut gemacht“. Ich bin jetzt Teamleiter in Quorn.", "Quorn"),
    ("Zur Info: ich wohne jetzt in Quorn.", "Quorn"),
    ("Ich heiße Quillon.\nIch wohne in Quorn.\nIch esse nie Quitten.", "Quitten"),
    ("Kannst du mir Briefe übersetzen? Ich wohne in Quorn.", "Quorn"),
    ("Souviens-toi que mon chien s'appelle « Quillon ».", "Quillon"),
    ("Note : j'habite à Quorn maintenant.", "Quorn"),
    ("Je lis « La Peste » avec mes élèves à Quorn.", "Quorn"),
    ("Mon chef a dit « bravo ». Je suis maintenant chef d'équipe à Quorn.", "Quorn"),
    ("Recuerda que mi perro se llama «Quillon».", "Quillon"),
    ('Mi jefe dijo "bien hecho". Ahora soy jefe de equipo en Quorn.', "Quorn"),
    ("Nota: ahora vivo en Quorn.", "Quorn"),
    ("¿Puedes traducirme cartas? Vivo en Quorn y no hablo francés.", "Quorn"),
    ("私の犬の名前は「Quillon」です。覚えておいてください。", "Quillon"),
    ("メモ：私はQuornに住んでいます。", "Quorn"),
    ("上司に「よくやった」と言われました。私はQuornでチームリーダーになりました。", "Quorn"),
    ("You are wrong: I live in Quorn, not in Loughborough.", "Quorn"),
    ("As I said: I live in Quorn.", "Quorn"),
    ("I told you: I live in Quorn.", "Quorn"),
    ("One thing: I live in Quorn now.", "Quorn"),
    ("Ich sagte: ich wohne in Quorn.", "Quorn"),
    ("Wie ich schon sagte: ich wohne in Quorn.", "Quorn"),
    ("I found a flat - I live in Quorn now.", "Quorn"),
    ("I'm Quillon - nice to meet you.", "Quillon"),
    ("Update: moved to Quorn.", "Quorn"),
    ("We found: the leak is in Quorn Street.", "Quorn"),
    ("Remember: my sister says hi from Quorn.", "Quorn"),
    ("My doctor found out that I am allergic to Quillon nuts.", "Quillon"),
    ("My wife says I should note that we live in Quorn.", "Quorn"),
    ("Important - I never eat Quillon.", "Quillon"),
    ("I write novels. My pen name is Quillon.", "Quillon"),
    ("What time is it? I live in Quorn.", "Quorn"),
    ("Don't summarise. I live in Quorn and want details.", "Quorn"),
    ("J'ai trouvé un appartement : j'habite à Quorn.", "Quorn"),
    ("Comme je l'ai dit : j'habite à Quorn.", "Quorn"),
    ("Como dije: vivo en Quorn.", "Quorn"),
    ("前に言ったように、私はQuornに住んでいます。", "Quorn"),
    ("Fix your spelling of my name: it is Quillon.", "Quillon"),
    ("Correct that: I live in Quorn.", "Quorn"),
    ("You said I live in Loughborough - I live in Quorn.", "Quorn"),
    ("Korrektur: ich wohne in Quorn.", "Quorn"),
    ("Correction: I live in Quorn, not Loughborough.", "Quorn"),
)
"""What people say of themselves, with quotations and colons, and a word that must count as theirs."""


def test_at_most_one_in_thirty_is_judged_wrongly() -> None:
    kept = [text for text in HANDED_OVER if "Quillon" in stated(text) or "Quorn" in stated(text)]
    dropped = [text for text, own in OWN if own not in stated(text)]
    print(f"kept {len(kept)} of {len(HANDED_OVER)}, dropped {len(dropped)} of {len(OWN)}")  # noqa: T201 - the figures
    assert len(kept) * 30 <= len(HANDED_OVER), kept
    assert len(dropped) * 30 <= len(OWN), dropped


PASTED = (
    (
        "pistachios",
        "Can you summarise this mail for me?\n\nHi all,\n\nplease remember that I am allergic to pistachios, so no baklava at the offsite.\n\nBest,\nMarlene",
    ),
    (
        "Tuesdays",
        "Forwarded from the family chat:\n[12.03.26, 18:04] Tom: I never work on Tuesdays any more\n[12.03.26, 18:05] Mum: noted!\nWhat should I answer?",
    ),
    (
        "tabs",
        "What does this do?\n```\n# Remember: always indent with tabs in this project.\nfor f in *.c; do expand $f; done\n```",
    ),
    (
        "Lisbon",
        "Put this list in alphabetical order:\n- I moved to Lisbon in May\n- I prefer the window seat\n- Remember to book the ferry\n- Always ask for a receipt",
    ),
    (
        "Rotterdam",
        "1\n00:00:04,120 --> 00:00:06,900\nRemember, my mother lives in Rotterdam.\n\n2\n00:00:07,000 --> 00:00:09,300\nYou never told me that.\n\nFix the timing of these subtitles, they are two seconds late.",
    ),
    ("vegetarian", "Proofread this: I am a vegetarian since ten years and I doesn't eat fish neither."),
    (
        "Hamburg",
        "Translate into German: I live in Hamburg and my office is at the harbour. Please always send post there.",
    ),
    (
        "quarterly",
        "Turn these minutes into action items.\n\nMinutes, 3 March\nPresent: Ada, Li, Omar\n1. Li: from now on we invoice quarterly.\n2. Omar: I prefer short meetings, remember that.\n3. Next meeting 10 March.",
    ),
    (
        "Kestrel",
        "> From now on call the project Kestrel and not Falcon.\n> I decided it yesterday.\n\nIs that tone too harsh for a client?",
    ),
    (
        "SUP-2231",
        "Draft an answer to this ticket.\n\nTicket SUP-2231\nCustomer: Jo Baker\nMy account number is 55-2231 (see SUP-2231) and I always want to be contacted by phone. Please keep that in mind.",
    ),
    (
        "Delgado",
        "Is this phishing?\n\nDear customer, please note that your new account manager is Ms Delgado. Remember to send all future payments to her account.",
    ),
    (
        "decaf",
        'Make this shorter: "I only drink decaf after noon, because otherwise I cannot sleep, and I would like everybody in the office to remember that I only drink decaf after noon."',
    ),
    (
        "Norwich",
        "My sister wrote: \"I'm moving to Norwich in June, don't forget that my new number ends in 88.\" How do I congratulate her?",
    ),
    (
        "penicillin",
        "here's the text i got from the clinic's form, fill in the blanks with sample data\n\nName: ______\nI am allergic to penicillin. Remember that I take 5 mg of bisoprolol every morning.\nSignature: ______",
    ),
    (
        "Oxford comma",
        "Write unit tests for the following README section.\n\n## Style\n\nAlways use the Oxford comma. Never write in passive voice. I prefer British spelling.",
    ),
    (
        "Thornbury",
        "Which of the two cover letters is better?\n\nA) My name is Ruth Thornbury and I have worked in logistics for nine years. My favourite tool is Excel.\n\nB) I am Ruth Thornbury, a logistics expert. I live in Bath.",
    ),
    (
        "Erdnüsse",
        "Fass mir bitte diese Mail zusammen:\n\nHallo zusammen,\nbitte merkt euch, dass ich keine Erdnüsse vertrage.\nLiebe Grüße\nSabine",
    ),
    (
        "Bergstraße",
        "Weitergeleitete Nachricht:\nVon: Papa\nBetreff: Umzug\n\nIch wohne ab Mai in der Bergstraße 12. Bitte merken!\n\nWas schreib ich ihm zurück?",
    ),
    (
        "Leerzeichen",
        "Was macht dieser Code?\n```python\n# Merke: Wir rücken immer mit vier Leerzeichen ein.\nprint('hallo')\n```",
    ),
    (
        "Gangplatz",
        "Sortiere diese Liste nach Länge:\n* Ich nehme im Zug immer den Gangplatz\n* Mein Zahnarzt heißt Dr. Wolf\n* Merk dir den Türcode",
    ),
    (
        "Graz",
        "Korrekturlesen bitte:\n\nIch bin in Graz geborn und wohne seid 2019 in Wien. Meine Lieblingsfarbe ist grün.",
    ),
    ("Zander", "Übersetze ins Englische: Ich esse keinen Zander. Denk bitte immer daran, dass ich keinen Zander esse."),
    (
        "Sommerfest",
        "Mach aus dem Protokoll eine Aufgabenliste.\n\nProtokoll vom 4.3.\nTOP 1: Frau Kern: Das Sommerfest ist ab jetzt immer am ersten Freitag im Juli.\nTOP 2: Herr Ott: Ich bevorzuge Termine am Vormittag.",
    ),
    (
        "Lindner",
        "> Ab sofort ist Frau Lindner unsere Ansprechpartnerin, nicht mehr Herr Busch.\n> Bitte merken.\n\nWie formuliere ich darauf eine freundliche Antwort?",
    ),
    (
        "10440",
        "Bitte beantworte dieses Ticket:\n\nTicket #10440, Kunde: Jan Roth\nIch möchte nie per E-Mail kontaktiert werden, nur telefonisch. Meine Kundennummer ist 10440. Bitte vermerken.",
    ),
    (
        "Kamille",
        "Kürze das auf einen Satz: »Ich trinke abends nur Kamille, weil ich sonst nicht schlafe, und es wäre schön, wenn sich das alle merken könnten.«",
    ),
    (
        "Passau",
        "Meine Schwester schreibt: „Ich ziehe im Juni nach Passau, vergiss nicht, meine neue Nummer endet auf 77.“ Was wünsche ich ihr?",
    ),
    (
        "Bruckner",
        "00:01:10,000 --> 00:01:12,500\nMerk dir: Mein Name ist Bruckner.\n\n00:01:13,000 --> 00:01:15,000\nIch hasse Montage.\n\nBitte verschiebe die Untertitel um eine Sekunde.",
    ),
    (
        "Rollkragen",
        'Ist der Klappentext gut?\n\n"Ich heiße Mira und ich trage nur Rollkragen. Merken Sie sich das." So beginnt der Roman.',
    ),
    (
        "Salbutamol",
        "Erklär mir, was in dem Arztbrief steht:\n\nDer Patient gibt an: Ich nehme seit Januar Salbutamol und bin gegen Katzenhaare allergisch.",
    ),
    (
        "Ostsee",
        "WhatsApp:\n[14:02, 3.5.2026] Oma: Wir fahren ab jetzt immer an die Ostsee\n[14:03, 3.5.2026] Oma: merk dir das bitte\nWie alt ist der Chat?",
    ),
    (
        "Konferenzraum",
        "Prüfe den folgenden Absatz auf Stil: Bitte beachten Sie, dass der Konferenzraum ab sofort nur noch mit meiner Karte zu öffnen ist. Mein Büro ist Zimmer 204.",
    ),
    (
        "noisettes",
        "Résume ce mail :\n\nBonjour à tous,\nsouvenez-vous que je suis allergique aux noisettes.\nBien à vous,\nHélène",
    ),
    (
        "Nantes",
        "Message transféré :\nDe : Papa\nObjet : déménagement\n\nJ'habite à Nantes depuis lundi. Retiens ma nouvelle adresse, 8 rue des Lilas.\n\nQue lui répondre ?",
    ),
    ("tabulations", "Que fait ce code ?\n```\n# Rappelle-toi : toujours indenter avec des tabulations.\nmake all\n```"),
    (
        "couloir",
        "Trie cette liste par ordre alphabétique :\n- Je prends toujours un siège côté couloir\n- Mon médecin s'appelle Dr Petit\n- N'oublie pas le pain",
    ),
    (
        "Grenoble",
        "Corrige les fautes : Je suis née a Grenoble et j'habites Lyon depuis 2018. Ma couleur préféré est le bleu.",
    ),
    ("huîtres", "Traduis en anglais : Je ne mange jamais d'huîtres. Souviens-toi que je ne mange jamais d'huîtres."),
    (
        "vendredi",
        "Fais une liste d'actions à partir de ce compte rendu.\n\nCompte rendu du 4 mars\n1. Mme Roy : désormais, la réunion a lieu le vendredi.\n2. M. Blanc : je préfère les réunions courtes.",
    ),
    (
        "Marchand",
        "> À partir de maintenant, votre interlocutrice est Mme Marchand, et non M. Fabre.\n\nComment répondre poliment ?",
    ),
    (
        "INC-778",
        "Rédige une réponse à ce ticket.\n\nTicket INC-778\nClient : Paul Girard\nJe veux toujours être contacté par téléphone. Mon numéro de client est INC-778. Merci de le noter.",
    ),
    (
        "tisane",
        "Raccourcis cette phrase : « Le soir je ne bois que de la tisane, sinon je ne dors pas, et j'aimerais que tout le monde s'en souvienne. »",
    ),
    (
        "Dijon",
        "Ma sœur m'écrit : « Je déménage à Dijon en juin, n'oublie pas que mon nouveau numéro finit par 66. » Que lui souhaiter ?",
    ),
    (
        "Lambert",
        "12\n00:01:10,000 --> 00:01:12,500\nRetiens bien ceci : je m'appelle Lambert.\n\n13\n00:01:13,000 --> 00:01:15,000\nJe déteste les lundis.\n\nDécale ces sous-titres d'une seconde.",
    ),
    (
        "ventoline",
        "Explique-moi cette lettre du médecin :\n\nLe patient déclare : je prends de la ventoline depuis janvier et je suis allergique aux chats.",
    ),
    (
        "Bretagne",
        "[03/05/2026 14:02] Mamie : On va toujours en Bretagne maintenant\n[03/05/2026 14:03] Mamie : retiens-le\nQui a écrit en dernier ?",
    ),
    (
        "badge",
        "Relis ce paragraphe et améliore le style : Veuillez noter que mon badge est nécessaire pour ouvrir la salle. Mon bureau est le 204.",
    ),
    (
        "Solène",
        "Que penses-tu du début de ce roman ?\n\n« Je m'appelle Solène et je ne porte que du noir. Souvenez-vous de ça. »",
    ),
    ("avellanas", "Resume este correo:\n\nHola a todos:\nrecordad que soy alérgica a las avellanas.\nUn saludo,\nInés"),
    (
        "Valencia",
        "Mensaje reenviado:\nDe: Papá\nAsunto: mudanza\n\nVivo en Valencia desde el lunes. Recuerda mi nueva dirección, calle Mayor 8.\n\n¿Qué le contesto?",
    ),
    ("tabuladores", "¿Qué hace este código?\n```\n# Recuerda: siempre sangrar con tabuladores.\nmake all\n```"),
    (
        "pasillo",
        "Ordena alfabéticamente esta lista:\n- Siempre pido asiento de pasillo\n- Mi médico se llama Dr. Soto\n- No olvides el pan",
    ),
    ("Cádiz", "Corrige los errores: Nací en Cádiz y bibo en Madrid desde 2018. Mi color favorito es el berde."),
    ("ostras", "Traduce al inglés: Nunca como ostras. Recuerda que nunca como ostras."),
    (
        "viernes",
        "Saca las tareas de esta acta.\n\nActa del 4 de marzo\n1. Sra. Ruiz: a partir de ahora la reunión es los viernes.\n2. Sr. Gil: prefiero las reuniones cortas.",
    ),
    ("Montero", "> A partir de ahora su contacto es la Sra. Montero, no el Sr. Vega.\n\n¿Cómo respondo con educación?"),
    (
        "INC-902",
        "Redacta una respuesta a este ticket.\n\nTicket INC-902\nCliente: Pablo Mora\nQuiero que siempre me llamen por teléfono. Mi número de cliente es INC-902. Anótenlo, por favor.",
    ),
    (
        "manzanilla",
        "Acorta esta frase: «Por la noche solo bebo manzanilla, porque si no, no duermo, y me gustaría que todos lo recordaran.»",
    ),
    (
        "Bilbao",
        "Mi hermana me escribe: «Me mudo a Bilbao en junio, no olvides que mi número nuevo acaba en 55.» ¿Qué le deseo?",
    ),
    (
        "Cifuentes",
        "12\n00:01:10,000 --> 00:01:12,500\nRecuerda esto: me llamo Cifuentes.\n\n13\n00:01:13,000 --> 00:01:15,000\nOdio los lunes.\n\nRetrasa los subtítulos un segundo.",
    ),
    (
        "salbutamol",
        "Explícame esta carta del médico:\n\nEl paciente dice: tomo salbutamol desde enero y soy alérgico a los gatos.",
    ),
    (
        "Galicia",
        "[3/5/26 14:02] Abuela: Ahora siempre vamos a Galicia\n[3/5/26 14:03] Abuela: acuérdate\n¿Quién escribió primero?",
    ),
    (
        "tarjeta",
        "Mejora el estilo de este párrafo: Tengan en cuenta que la sala solo se abre con mi tarjeta. Mi despacho es el 204.",
    ),
    ("Jimena", "¿Qué te parece el comienzo de la novela?\n\n«Me llamo Jimena y solo visto de negro. Recuérdenlo.»"),
    (
        "落花生",
        "このメールを要約してください。\n\n皆さま\n私は落花生アレルギーですので、覚えておいてください。\nよろしくお願いします。\n佐藤",
    ),
    (
        "名古屋",
        "転送メッセージ：\n差出人：父\n件名：引っ越し\n\n月曜日から名古屋に住んでいます。新しい住所を覚えておいて。\n\n何と返事すればいい？",
    ),
    ("タブ", "このコードは何をしますか？\n```\n# 覚えておくこと：インデントは必ずタブを使う。\nmake all\n```"),
    (
        "通路側",
        "次のリストを短い順に並べて：\n・私はいつも通路側の席を取る\n・私の主治医は林先生です\n・パンを忘れないで",
    ),
    ("金沢", "次の文章を添削してください。私は金沢で生まれまして、2018年から東京に住んでるです。好きな色は緑です。"),
    ("牡蠣", "英語に訳して：私は牡蠣を食べません。私が牡蠣を食べないことを覚えておいてください。"),
    (
        "金曜日",
        "この議事録からタスクを抜き出して。\n\n議事録 3月4日\n1. 山田：今後、会議は金曜日に行う。\n2. 鈴木：私は短い会議が好きです。",
    ),
    ("松本", "> 今後の担当は松本です。森ではありません。\n> 覚えておいてください。\n\nどう返信するのが丁寧ですか？"),
    (
        "INC-311",
        "このチケットへの返信を書いて。\n\nチケット INC-311\n顧客：田中\n連絡は必ず電話でお願いします。私の顧客番号はINC-311です。記録してください。",
    ),
    (
        "カモミール",
        "この文を短くして：「夜はカモミールしか飲みません。そうしないと眠れないので、みんなに覚えておいてほしいです。」",
    ),
    (
        "札幌",
        "妹からこう来た：「6月に札幌へ引っ越します。新しい番号の末尾は55だから忘れないでね。」なんてお祝いすればいい？",
    ),
    (
        "長谷川",
        "12\n00:01:10,000 --> 00:01:12,500\n覚えておけ、俺の名前は長谷川だ。\n\n13\n00:01:13,000 --> 00:01:15,000\n月曜日が嫌いだ。\n\nこの字幕を1秒遅らせて。",
    ),
    ("喘息薬", "この紹介状の意味を教えて。\n\n患者の話：1月から喘息薬を飲んでいます。私は猫アレルギーです。"),
    (
        "沖縄",
        "[2026/05/03 14:02] 祖母：これからはいつも沖縄に行くよ\n[2026/05/03 14:03] 祖母：覚えておいて\n最後に書いたのは誰？",
    ),
    ("社員証", "次の段落の文体を直して：会議室は私の社員証でしか開きませんのでご注意ください。私の部屋は204です。"),
    ("千尋", "この小説の書き出しをどう思う？\n\n「私の名前は千尋、黒しか着ない。覚えておきなさい。」"),
)
"""What others wrote, pasted, each with a sentence that would be kept of one's own, and a word of it."""
REQUESTS = (
    ("no salt", 'Please remember what my doctor told me: "no salt for six weeks".'),
    ("Rosebud", 'Remember that I call my sled "Rosebud".'),
    ("oat milk", 'Remember: the barista said "we\'re out of soy", so from now on I take oat milk.'),
    ("Nightjar", 'The project is called "Nightjar". Please remember that.'),
    ("Wexford", 'Anna wrote "see you at the station". Please remember that I pick her up in Wexford on 4 May.'),
    ("aisle", 'I always want the aisle seat. Whoever says "window is nicer" is wrong. Remember it for bookings.'),
    ("carpe diem", "Please keep in mind that my motto is 'carpe diem'."),
    ("Moby-Dick", 'My favourite book is "Moby-Dick". Remember that for presents.'),
    ("4 pm", "> Shall we say 3 pm?\n\nRemember that I never take calls before 4 pm."),
    ("Ms Okafor", 'Here is what she sent: "I start on Monday". Please remember that my new assistant is Ms Okafor.'),
    ("shellfish", 'I\'m allergic to shellfish, please remember that, even if I order the "Seafood Special".'),
    ("Helvetica", "Remember that all my slides use Helvetica:\n```\nfont-family: Helvetica;\n```"),
    ("Bluebell", 'Please remember: our cottage is named "Bluebell" and the key is under the pot.'),
    ("make fast", "Remember that the command for quick tests is `make fast`."),
    ("Siobhan", "My wife's name is Siobhan, spelled \"S-i-o-b-h-a-n\". Don't forget."),
    ("Brandt", 'Don\'t forget: the lawyer said "sign nothing" and her name is Brandt.'),
    ("kein Salz", "Bitte merk dir, was der Arzt gesagt hat: „sechs Wochen kein Salz“."),
    ("Rosi", "Merk dir, dass ich mein Auto „Rosi“ nenne."),
    ("Hafermilch", "Merk dir: Im Café hieß es „Soja ist aus“, also nehme ich ab jetzt Hafermilch."),
    ("Nachtfalke", "Das Projekt heißt „Nachtfalke“. Bitte merken."),
    ("Lindau", "Anna schrieb „bis morgen am Bahnhof“. Merk dir bitte, dass ich sie am 4. Mai in Lindau abhole."),
    (
        "Gangplatz",
        "Ich will immer einen Gangplatz, auch wenn es heißt „Fenster ist schöner“. Merk dir das für Buchungen.",
    ),
    ("carpe diem", "Bitte behalte: Mein Motto ist »carpe diem«."),
    ("Zauberberg", "Mein Lieblingsbuch ist „Der Zauberberg“. Merk dir das für Geschenke."),
    ("16 Uhr", "> Passt 15 Uhr?\n\nMerk dir, dass ich vor 16 Uhr nie telefoniere."),
    (
        "Frau Okafor",
        "Sie schrieb: „Ich fange am Montag an“. Bitte merk dir, dass meine neue Assistentin Frau Okafor heißt.",
    ),
    ("Krebse", "Ich bin gegen Krebse allergisch, bitte merk dir das, auch wenn ich den „Fischerteller“ bestelle."),
    ("Helvetica", "Merk dir, dass alle meine Folien in Helvetica sind:\n```\nfont-family: Helvetica;\n```"),
    ("Glockenblume", "Bitte merken: Unsere Hütte heißt „Glockenblume“ und der Schlüssel liegt unter dem Topf."),
    ("make schnell", "Merk dir, dass der Befehl für schnelle Tests `make schnell` ist."),
    ("Siobhan", "Meine Frau heißt Siobhan, geschrieben „S-i-o-b-h-a-n“. Vergiss das nicht."),
    ("Brandt", "Vergiss nicht: Die Anwältin sagte „nichts unterschreiben“, und sie heißt Brandt."),
    ("pas de sel", "Retiens ce que le médecin m'a dit : « pas de sel pendant six semaines »."),
    ("Titine", "Retiens que j'appelle ma voiture « Titine »."),
    ("avoine", "Souviens-toi : au café on m'a dit « plus de soja », donc désormais je prends du lait d'avoine."),
    ("Engoulevent", "Le projet s'appelle « Engoulevent ». Retiens-le, s'il te plaît."),
    ("Angers", "Anna a écrit « à demain à la gare ». Souviens-toi que je vais la chercher à Angers le 4 mai."),
    (
        "couloir",
        "Je veux toujours un siège côté couloir, même si on me dit « la fenêtre est mieux ». Retiens-le pour les réservations.",
    ),
    ("carpe diem", "N'oublie pas que ma devise est « carpe diem »."),
    ("Germinal", "Mon livre préféré est « Germinal ». Souviens-t'en pour les cadeaux."),
    ("16 h", "> 15 h, ça te va ?\n\nRetiens que je ne téléphone jamais avant 16 h."),
    ("Okafor", "Elle a écrit : « Je commence lundi ». Souviens-toi que ma nouvelle assistante s'appelle Mme Okafor."),
    ("crustacés", "Je suis allergique aux crustacés, retiens-le, même si je commande l'« assiette du pêcheur »."),
    ("Helvetica", "Retiens que toutes mes diapositives sont en Helvetica :\n```\nfont-family: Helvetica;\n```"),
    ("Campanule", "Souviens-toi : notre cabane s'appelle « Campanule » et la clé est sous le pot."),
    ("make vite", "Retiens que la commande pour les tests rapides est `make vite`."),
    ("Siobhan", "Ma femme s'appelle Siobhan, ça s'écrit « S-i-o-b-h-a-n ». N'oublie pas."),
    ("Brandt", "N'oublie pas : l'avocate a dit « ne signez rien », et elle s'appelle Brandt."),
    ("nada de sal", "Recuerda lo que me dijo el médico: «nada de sal durante seis semanas»."),
    ("Rocinante", "Recuerda que a mi coche lo llamo «Rocinante»."),
    ("avena", "Recuerda: en el café me dijeron «no queda soja», así que a partir de ahora tomo leche de avena."),
    ("Chotacabras", "El proyecto se llama «Chotacabras». Recuérdalo, por favor."),
    ("Gijón", "Ana escribió «hasta mañana en la estación». Recuerda que la recojo en Gijón el 4 de mayo."),
    ("pasillo", "Siempre quiero asiento de pasillo, aunque digan «la ventana es mejor». Recuérdalo para las reservas."),
    ("carpe diem", "No olvides que mi lema es «carpe diem»."),
    ("Rayuela", "Mi libro favorito es «Rayuela». Recuérdalo para los regalos."),
    ("16 h", "> ¿Te va bien a las 15 h?\n\nRecuerda que nunca hablo por teléfono antes de las 16 h."),
    ("Okafor", "Ella escribió: «Empiezo el lunes». Recuerda que mi nueva asistente es la señora Okafor."),
    ("mariscos", "Soy alérgico a los mariscos, recuérdalo, aunque pida el «plato del pescador»."),
    ("Helvetica", "Recuerda que todas mis diapositivas usan Helvetica:\n```\nfont-family: Helvetica;\n```"),
    ("Campanilla", "Recuerda: nuestra cabaña se llama «Campanilla» y la llave está debajo de la maceta."),
    ("make rapido", "Recuerda que el comando para las pruebas rápidas es `make rapido`."),
    ("Siobhan", "Mi mujer se llama Siobhan, se escribe «S-i-o-b-h-a-n». No lo olvides."),
    ("Brandt", "No olvides: la abogada dijo «no firmes nada», y se llama Brandt."),
    ("塩を控える", "先生に言われた「六週間は塩を控えること」を覚えておいて。"),
    ("赤兎馬", "私が車を「赤兎馬」と呼んでいることを覚えておいて。"),
    ("オーツミルク", "覚えておいて：店で「豆乳は売り切れ」と言われたので、これからはオーツミルクにする。"),
    ("ヨタカ", "プロジェクトの名前は「ヨタカ」です。覚えておいてください。"),
    ("松江", "アンナが「駅でね」と書いてきた。5月4日に松江へ迎えに行くことを覚えておいて。"),
    ("通路側", "「窓側がいい」と言われても、私はいつも通路側がいい。予約のために覚えておいて。"),
    ("一期一会", "私の座右の銘は「一期一会」だと覚えておいて。"),
    ("こころ", "私の好きな本は『こころ』です。プレゼントの参考に覚えておいて。"),
    ("16時", "> 15時でいい？\n\n私は16時より前には電話に出ないと覚えておいて。"),
    ("大久保", "「月曜から始めます」と連絡があった。新しいアシスタントは大久保さんだと覚えておいてください。"),
    ("甲殻類", "私は甲殻類アレルギーです。「海鮮丼」を頼んでも、それを覚えておいて。"),
    ("ヘルベチカ", "私のスライドは全部ヘルベチカだと覚えておいて：\n```\nfont-family: Helvetica;\n```"),
    ("桔梗", "覚えておいて：うちの山小屋の名前は「桔梗」で、鍵は鉢の下にある。"),
    ("make hayai", "速いテストのコマンドは `make hayai` だと覚えておいて。"),
    ("小百合", "妻の名前は小百合、「小さい百合」と書きます。忘れないで。"),
    ("弁護士", "忘れないで：弁護士の森さんが「何にも署名しないで」と言っていた。"),
)
"""What people ask to be remembered or say of themselves, with a quotation, and a word that must be kept."""


def kept_words(text: str) -> str:
    """What of a message becomes memory without a model."""
    mined = [nugget.text for nugget in nuggets(text, date(2026, 3, 4)) if nugget.is_plain]
    return "\n".join([*mined, *(request.words for request in asked(text))])


def test_at_most_one_of_eighty_pasted_texts_is_kept_and_one_of_eighty_requests_dropped() -> None:
    kept = [text for word, text in PASTED if word in kept_words(text)]
    dropped = [text for word, text in REQUESTS if word not in kept_words(text)]
    print(f"kept {len(kept)} of {len(PASTED)}, dropped {len(dropped)} of {len(REQUESTS)}")  # noqa: T201 - the figures
    assert len(PASTED) == len(REQUESTS) == 80
    assert len(kept) <= 1, kept
    assert len(dropped) <= 1, dropped
