"""Cues: what users say when an answer did not serve them, and what answers do, by meaning and language."""

import re
from collections.abc import Mapping
from functools import lru_cache

LOOKED_AT = 600  # characters of a message in which its tone shows; what follows is material
Cues = Mapping[str, re.Pattern[str]]


def cue(*phrases: str, first: str = "", unless: str = "", stated: bool = False) -> re.Pattern[str]:
    """One expression for many phrases, in a text with a space before it; those of `first` only where a sentence begins.

    A phrase does not count after a word of `unless`, and what must be `stated` not in a question: "Is it wrong to …?" rejects
    nothing. A gap is found faster than a border, which is looked for at every letter.
    """
    not_after = "".join(rf"(?<!\b{word}\W)" for word in unless.split())
    ends = r"(?!\w)" + (r"(?![^.!?\n]{0,300}\?)" if stated else "")
    anywhere = [rf"{not_after}(?:{'|'.join(phrases)}){ends}"] if phrases else []
    begins = [rf"(?:(?<=[.!?,;]\s)|(?<![\s\S]\W))(?:{first}){ends}"] if first else []
    return re.compile(rf"\W(?:{'|'.join(anywhere + begins)})")


# What a user says about the answer before, by language.
REACTIONS: Mapping[str, Cues] = {
    "en": {
        "rejects": cue(
            r"(?:that|this|it|which|you|your \w+|answer|these|those)(?:'s| is| was| are|'re|s)(?: \w+)? (?:wrong|incorrect|false|untrue|mistaken)",
            r"(?:is|was|are|were)(?:n't| not) (?:(?:even|quite|really|exactly|at all|very|the) )?(?:right|correct|true|helpful|useful|related|what|an answer|the (?:one|right|same))",
            r"not (?:correct|true|helpful|an answer|what i|right(?! now| at)|useful|relevant|suitable|acceptable)",
            r"(?:doesn't|does not|didn't|did not|don't|won't) (?:help|answer (?:my|the) \w+|match|look right|add up)",
            r"(?:can't|cannot) be (?:right|correct|true)|(?:that|this|which|answer) has nothing to do with|(?:got|did|have|has) (?:it|this|that|them) (?:all )?wrong",
            r"(?:that|this|it|these)(?:'s| is| was| are|s)? (?:in |at |to |for )?the wrong \w+|you \w+ the wrong \w+|(?:this|that|your) \w+ is (?:wrong|broken)",
            first=r"wrong|incorrect|false",
            stated=True,
        ),
        "scorns": cue(
            r"(?:that|this|it|which|you|your \w+|answer|these|those)(?:'s| is| was| are|'re|s)?(?: \w+)? (?:nonsense|useless|ridiculous|unacceptable|absurd|pointless|hopeless|rubbish|unhelpful|irrelevant)",
            r"(?:doesn't|does not|didn't|did not|don't) make (?:any )?sense|mak(?:e|es|ing) no sense|no sense|(?:not|n't) (?:funny|making (?:any )?sense)|(?:can't|cannot) be serious|what (?:kind|sort) of (?:answer|joke)",
            r"what are you talking|are you (?:kidding|serious|joking|even|listening)|for heaven's sake|(?:worst|dumbest|stupidest) (?:answer|service|bot|assistant|reply)|even worse|unbelievable|waste of time|nobody (?:asked|said)|(?:this|that|your) \w+ is (?:useless|hopeless|nonsense)|a made.up",
            first=r"nonsense|useless|ridiculous|seriously|wtf|what the (?:hell|heck|fuck)",
        ),
        "blames": cue(
            r"you (?:didn't|did not|never|haven't|aren't|forgot|missed|ignored|misunderst\w+|misread|mixed|swapped|skipped|keep|kept|repeat\w*|left out|made (?:that|it|this) up)",
            r"you(?:'re| are) (?:not|repeating|wrong|mistaken)|your (?:mistake|fault|error)|did you (?:not|even)|(?:do|can|will) you even|stop (?:asking|offering|changing|repeating|telling|ignoring|making)|read (?:my|the|it) \w+ again",
            r"file a complaint",
            unless="can could will would should if do since unless",
        ),
        "restates": cue(
            r"i (?:said|asked|told|meant|specified|(?:specifically|clearly|literally)(?: just)? (?:said|asked|told|wrote)|wrote|never (?:said|asked|wanted)|didn't (?:ask|say|want|order)|was asking)",
            r"i already (?:said|told|gave|did|tried)|i just (?:said|told|gave|asked)|(?:as|like) i (?:said|told|mentioned|wrote|asked)|as (?:stated|mentioned)",
            r"(?:the|my) question was (?:not|about|if|whether|how|wh\w+)|not what i \w+",
            unless="glad why when where how if before after wish because",
        ),
        "own_mistake": cue(
            r"my (?:mistake|bad|fault|apologies)|i (?:misspoke|mistyped|misread|misremembered|made a mistake|was mistaken|changed my mind)|scratch that|on my side",
            r"i (?:\w+ )?(?:gave|got|typed|clicked|picked|mixed|entered|ordered)(?: you)?(?: \w+){0,2} (?:wrong|up)(?: \w+)?|wrong \w+ i gave",
            r"(?:sorry|apologies|oops|whoops|crap|wait|hold on)[ ,.!…—-]+(?:i meant|i gave|i mean|about that|wrong|no(?!t)|make it|it should)",
        ),
        "gives_up": cue(
            r"i(?:'ll| will) (?:just )?do it myself|never ?mind|forget (?:it|about it|that)|leave it|give up|look elsewhere|no point|don't bother|(?:real|talk to|speak to|speak with|connect me (?:to|with)|get me) (?:an? )?(?:real )?(?:human|person|manager|supervisor)"
        ),
        "refuses": cue(
            first=r"no(?! (?:problem|worries|rush|need|idea|preference))|nope|nah|not|none|i (?:don't|do not) (?:want|need|like|think)"
        ),
        "elsewhere": cue(
            r"another|others?|else|different|instead|alternatives?|rather|options?|changed? my mind|what about|how about|cheaper|later|earlier|closer|try again|again|still|at all|too \w+"
        ),
        "thanks": cue(
            r"thanks?|thank you|thx|ty|cheers|grateful|great|perfect|excellent|awesome|wonderful|fantastic|lovely|brilliant"
        ),
        "serves": cue(
            r"appreciate\w*|cool|nice|good|fine|super|lgtm",
            r"(?:sounds?|looks?|works?) (?:good|great|fine|right|perfect)|works|yes|yep|yeah|sure|ok|okay|alright|all right|got it|i see|makes sense|exactly|agreed|well done|no problem|no worries|haha|lol|👍|🙏|😊",
        ),
        "closes": cue(
            r"that(?:'s| is|s|'ll be| will be| was) (?:all|it|everything)|nothing (?:else|more)|no(?:thing)?,? thank\w*|bye|goodbye|all set|i(?:'m| am) (?:done|good)"
        ),
    },
    "de": {
        "rejects": cue(
            r"(?:das|dies|es|da|so|du|sie|ihr)(?: \w+){0,2} (?:falsch|verkehrt|unsinn|quatsch|nutzlos|lächerlich|unmöglich|blödsinn|keine antwort|sinnlos)",
            r"stimmt (?:so |doch |ja |gar |überhaupt )?nicht|nicht (?:richtig|korrekt|wahr|das,? was|gefragt|verlangt|gemeint|bestellt|hilfreich)|keine antwort|kein wort|keinen sinn|nichts? damit zu tun",
            r"hilft (?:mir )?(?:so |auch |da )?nicht|bringt (?:mir )?(?:so |gar )?nichts|(?:so ein|völliger) \w*sinn|nützt mir|(?:ist|war|sind) (?:\w+ )?(?:die |der |das )?(?:falsch|verkehrt)\w*|wieder (?:\w+ )?(?:falsch|verkehrt)\w*|gegenteil",
            first=r"falsch|quatsch|unsinn|blödsinn|hä|nein nein|oh nein|von wegen",
            stated=True,
        ),
        "scorns": cue(r"was soll das|im ernst|auf den arm|was für ein \w*sinn", first=r"wie bitte|hä"),
        "blames": cue(
            r"(?:du|sie|ihr) (?:hast|haben|habt|verstehst|verstehen|hörst|hören|beantwort\w+|weich\w+|ignorier\w+|verwechsel\w+|wiederhol\w+|solltest|sollten)(?: \w+){0,4} (?:nicht|nichts|falsch|vergessen|übersehen|verwechselt|verrechnet|missverstanden)",
            r"hörst du|hören sie|kannst du nicht|können sie nicht|liest du|verrechnet|verwechselt|(?:du|sie) versteh\w+ mich|dein fehler|ihr fehler",
        ),
        "restates": cue(
            r"ich (?:habe|hatte) (?:doch |schon |bereits |ja |nach |dich |sie |ihnen |dir )*(?:\w+ )?(?:gesagt|gefragt|geschrieben|gebeten|gemeint|bestellt|verlangt)|habe ich (?:doch|schon|nicht|oben) \w+",
            r"ich (?:sagte|meinte|fragte|frage|schrieb)|wie gesagt|wie (?:oben|schon|bereits) \w+|sagte ich|war (?:nicht )?(?:meine|die) frage|schon (?:zum|wieder|mehrfach)|immer noch|noch immer",
        ),
        "own_mistake": cue(
            r"mein fehler|ich habe mich (?:vertan|verschrieben|geirrt|vertippt|verlesen)|(?:entschuldigung|sorry|ach|moment)[ ,.!]+(?:ich meinte|nein|es (?:ist|war))"
        ),
        "gives_up": cue(
            r"vergiss es|mit einem (?:menschen|mitarbeiter)|lass (?:es|gut)|egal jetzt|hat keinen zweck|gebe auf|ich rufe selbst|mache ich selbst"
        ),
        "refuses": cue(first=r"nein|nö|nicht|kein\w*|ich (?:will|möchte|brauche) (?:kein\w*|nicht)"),
        "elsewhere": cue(
            r"ander\w*|sonst|stattdessen|lieber|alternativ\w*|etwas (?:später|früher|günstiger|billiger)\w*|noch ?mal|wieder|zu \w+|schade|dann|eher"
        ),
        "thanks": cue(r"danke\w*|dank|super|prima|perfekt|toll|bestens|wunderbar|klasse|herrlich"),
        "serves": cue(
            r"gut|schön|passt|genau|okay|ok|ja|gerne?|einverstanden|verstanden|kein problem|alles klar|freut|klingt|geklappt|richtig|recht|👍"
        ),
        "closes": cue(
            r"das (?:war|ist|wär\w*) (?:alles|es)|sonst nichts|nichts (?:weiter|mehr)|nein,? danke|tschüss|wiedersehen"
        ),
    },
    "es": {
        "rejects": cue(
            r"(?:eso|esto|está|es|eres|usted|tú)(?: \w+){0,2} (?:mal|falso|incorrect[oa]|equivocad[oa]|inútil|absurdo|ridículo|mentira|tontería|broma|imposible)",
            r"no (?:es|era|está|fue) (?:correcto|cierto|verdad|eso|lo que|una respuesta)|no me (?:ayuda|sirve|vale)|no (?:sirve|ayuda|tiene sentido|responde|contesta)|equivocad[oa]|el que no es|lo contrario",
            r"(?:menuda|vaya) (?:tontería|estupidez|respuesta|disparate|locura)|ni una palabra|nada que ver|sin ser",
            first=r"falso|mentira|tonterías?|incorrecto|no no",
            stated=True,
        ),
        "scorns": cue(
            r"qué (?:tontería|estupidez|respuesta|disparate|locura|dices)|es una broma|en serio|de qué me sirve",
            first=r"cómo que|pero qué",
        ),
        "blames": cue(
            r"no (?:me )?has \w+|no (?:me )?ha (?:respondido|contestado|entendido)|has (?:calculado|entendido|puesto|hecho|leído|copiado) mal|te (?:has|equivocas)(?: \w+)?|se (?:ha )?equivoca\w*|no (?:me )?(?:entiendes|escuchas|lees|te enteras|sabes)|me estás escuchando|tenías que",
            r"tu error|su error|tu culpa|evitando",
        ),
        "restates": cue(
            r"(?:te|le|lo|ya|como)(?: \w+)? (?:dije|pedí|pregunté|escribí|he dicho|he pedido)|dije|lo que pedí|pregunté|me refería|quería decir|no (?:te )?he (?:preguntado|pedido|dicho)|no (?:pregunté|pedí|dije)|lo puse|era mi pregunta",
            r"ya lo (?:dije|he dicho|sé)|otra vez|por (?:segunda|tercera) vez|sigue (?:sin|igual|la|el)|quiero \w+, no",
        ),
        "own_mistake": cue(
            r"mi error|me (?:he equivocado|equivoqué|confundí|he confundido)|(?:perdón|disculpa|perdona|ay)[ ,.!]+(?:quería decir|me refería|es|era|no|mejor)"
        ),
        "gives_up": cue(
            r"hablar con (?:una persona|un humano|alguien)|olvíd\w+|déjalo|no importa ya|me rindo|llamo yo|lo hago yo|da igual ya"
        ),
        "refuses": cue(first=r"no|ni|ningun[oa]|no (?:quiero|necesito)"),
        "elsewhere": cue(
            r"otr[oa]s?|en vez de|en lugar de|alternativas?|más (?:tarde|temprano|barato)|de nuevo|demasiado|qué pena|entonces|pues|mejor|algo más|parecido"
        ),
        "thanks": cue(r"gracias|genial|perfecto|estupendo|excelente|magnífico|precioso|muy amable"),
        "serves": cue(
            r"bien|bueno|vale|ok|sí|claro|de acuerdo|exacto|exactamente|excelente|magnífico|precioso|entendido|correcto|sin problema|ha funcionado|me alegro|muy amable|es verdad|👍"
        ),
        "closes": cue(r"(?:eso es|es) todo|nada más|no,? gracias|adiós|hasta luego"),
    },
}

# What an answer does, by language.
ANSWERS: Mapping[str, Cues] = {
    "en": {
        "more": cue(
            r"(?:any|some)thing (?:else|more|further)|what else|(?:further|more|other) (?:assist\w*|help|questions?)|else (?:can|may|could) (?:i|we)"
        ),
        "requests": cue(
            r"(?:could|can|would|will) you|please (?:confirm|provide|repeat|respond|tell|say|give|state|specify|rephrase|let me know|try again|choose|select|share|enter)|try again|say (?:that|it) again|(?:need|require) your|let me know (?:if|which|what|whether|your)|is (?:that|this) (?:right|correct|ok)|to confirm|confirm (?:me|the|that|your|new)|got (?:this|that|it) right|here is what you asked"
        ),
        "fails": cue(
            r"unfortunately|afraid|cannot|unable|not (?:able|possible|available|found|sure)|unavailable|unsuccessful\w*|sold out|fully booked|taken|error|fail(?:s|ed|ure)?|sorry|apolog\w+",
            r"(?:does|do|did|is|are|was|were|has|have|will|would|can|could)(?:n't| not)|no (?:results?|match(?:es)?|luck|longer)|nothing|nobody|none|only|there (?:is|are|were|was) no|i (?:have|found|see|find) no",
            first=r"no|not|neither",
        ),
    },
    "de": {
        "more": cue(r"(?:sonst )?noch etwas|sonst noch|weiterhelfen"),
        "requests": cue(
            r"(?:können|könnten|würden) sie|kannst du|könntest du|bitte (?:\w+ ){0,4}(?:bestätige\w*|wiederhol\w*|nenne\w*|gib|geben|sag\w*)|noch (?:ein)?mal"
        ),
        "fails": cue(
            r"leider|kann (?:ich )?nicht|nicht (?:möglich|verfügbar|gefunden)|keine?n?|nein|belegt|vergeben|fehlgeschlagen|ausverkauft|fehler|tut mir leid"
        ),
    },
    "es": {
        "more": cue(r"algo más|otra cosa|en qué más"),
        "requests": cue(
            r"(?:podría|puede|podrías|puedes)|por favor,? (?:confirm\w*|repit\w*|repet\w*|indi\w*|di\w*)|otra vez"
        ),
        "fails": cue(
            r"lamentablemente|lo siento|no (?:puedo|hay|es posible|está|tengo|se)|no|ocupad[oa]|agotad[oa]s?|complet[oa]|error|falló"
        ),
    },
}


@lru_cache(maxsize=256)
def shows(text: str, language: str, of_answer: bool = False) -> dict[str, float]:
    """Which families of cues a text shows: 1.0 or 0.0 for each."""
    plain = " " + text[:LOOKED_AT].lower().replace("’", "'")
    table = (ANSWERS if of_answer else REACTIONS).get(language, {})
    return {name: float(found.search(plain) is not None) for name, found in table.items()}
