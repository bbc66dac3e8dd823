"""Patterns of phrases by which a text tries to instruct its judge, in folded form.

Every repetition is bounded, so that a search takes time in proportion to the text.
"""

import re

IN = r"[^.!?。\x00]{0,40}?"  # some words of the same sentence
S = r"(?:[^\w.!?:;。]|_){0,4}"  # between two words, also when they are joined or decorated
W = r"(?:[^\W_]{1,14}(?:[^\w.!?:;。]|_){1,4})"  # one word and its separator; it can match in one way only
JUDGE = (
    r"(?:(?:ai|llm|human|automated|automatic|language model)[\W_]{0,2})?"
    r"(?:graders?|judges?|evaluators?|examiners?|assessors?|markers?|scorers?"
    r"|(?:grading|evaluation|scoring|judging|marking)[\W_]{0,2}(?:assistant|model|system|ai|bot|engine|agent))"
)
ORDER_NOUNS = (
    r"(?:instructions?|directions|directives?|prompts?|orders|guidelines?|rubrics?|criteria|rules|marking scheme)"
)
WORK = r"(?:answers?|responses?|submissions?|solutions?|essays?|texts?|work|replies|reply|attempts?)"
GIVE = r"(?:give|award|assign|grant|allocate|allot|bestow|hand)"
FULL = (
    r"(?:(?:full|top|perfect|maximum|max|maximal|highest(?: possible)?|best(?: possible)?|all(?: the)?|complete)[\W_]{1,3}"
    r"(?:marks?|points?|credits?|scores?|grades?|ratings?)\b"
    r"|\b(?P<all>\d{1,3})[\W_]{0,2}(?:/|out of)[\W_]{0,2}(?P=all)\b|\b100[\W_]{0,2}(?:%|percent|points|marks))"
)
GRADING = r"(?:scor(?:e|ing)|(?:full|final|correct|the) marks?|grad(?:e|es|er|ing)\b|award|ignor|disregard|instructions|evaluat|verdict|rubric)"


def compile_table(table: dict[str, str]) -> dict[str, re.Pattern[str]]:
    return {name: re.compile(pattern) for name, pattern in table.items()}


# Forgeries of the conversation with the judge. Honest texts do not contain them.
FORGERIES = compile_table(
    {
        "a role of the conversation": rf"(?<![^\n.!?>\]:])[\W_]{{0,6}}(?:system|assistant|developer|admin(?:istrator)?|operator|{JUDGE})"
        rf"[\W_]{{0,3}}(?:message|prompt|note|notice|override|update|instructions?)?\W{{0,3}}[:\]>][^.!?。\n]{{0,60}}?\b{GRADING}",
        "a token of a chat": r"<\|[a-z_ ]{2,24}\|>|\[/?inst\]|<</?sys>>|</?(?:system|instructions?|rubric|grading|grader|judge)>",
        "an end of the quotation": r"(?:^|\n|[-=#<>*\[]{3})[\W_]{0,8}(?:end|begin|start)[\W_]{1,3}(?:of[\W_]{1,3})?(?:the[\W_]{1,3})?"
        r"(?:(?:quoted|untrusted|user|student|stranger'?s?|candidate'?s?)[\W_]{1,3})?"
        r"(?:text|answer|quote|quotation|data|submission|input|response|content|document|instructions)"
        r"[\W_]{0,3}(?:\n|$|[-=#<>*\]]{3})",
        "a mark of a quotation": r"<<<[\W_]{0,2}[0-9a-f]{6,64}|[0-9a-f]{6,64}[\W_]{0,2}>>>|(?:^|\n)>>>[ ]{0,4}(?:\n|$)",
        "a menu of answers": r"(?:^|\n)[\W_]{0,4}possible answers[\W_]{0,2}:",
        "a verdict as JSON": r"[\"'](?:mark|verdict)[\"']\s{0,4}:\s{0,4}[\"']?(?:\d|full|max|pass|true)"
        r"|\{\s{0,9}[\"'](?:score|grade|points|rating)[\"']\s{0,4}:\s{0,4}[\"']?[\d.]{1,9}[\"']?\s{0,9}\}"
        r"|[\"'](?:score|grade|points|rating)[\"']\s{0,4}:[^{}]{1,80}?[\"'](?:reason|confidence|feedback|rationale)[\"']\s{0,4}:",
    }
)

# Orders to the judge. An honest text may report them, or refuse to follow them.
ORDERINGS = compile_table(
    {
        "set your orders aside": rf"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|ing)|overrule|bypass|set aside|do not follow|don.?t follow"
        rf"|stop following|pay no attention to){S}{W}{{0,3}}?(?:previous|prior|above|earlier|preceding|your|all|any|every|original"
        rf"|initial|system|grading|marking|these|those){S}{W}{{0,3}}?{ORDER_NOUNS}"
        r"|\b(?:ignore|disregard|forget|override|bypass|do not follow|don.?t follow)[\W_]{1,3}(?:the|this)[\W_]{1,3}"
        r"(?:rubric|criteria|marking scheme|grading|scoring|system prompt|instructions? (?:above|before|you))",
        "forget what was said": rf"\b(?:ignore|disregard|forget)[\W_]{{1,3}}(?:everything|anything|all|whatever|what)[\W_]{{1,3}}{W}{{0,4}}?"
        r"(?:above|before|previous|previously|so far|earlier|told|said)\b",
        "new orders": r"\b(?:new|updated|revised|real|actual|true|secret|hidden)[\W_]{1,3}(?:grading[\W_]{1,3})?(?:instructions?|orders|directives?|rubric)[\W_]{0,3}:",
        "the rules have changed": rf"\b(?:rubric|marking scheme|grading (?:criteria|policy|scheme|rules?)|scoring (?:guide|rules?)){IN}"
        r"\b(?:changed|updated|replaced|waived|void|no longer|suspended|does not apply|do not apply)\b",
        "to the judge": rf"\b(?:dear|attention|note (?:to|for)|message (?:to|for)|memo (?:to|for)|instructions? (?:to|for)|reminder (?:to|for)|hey|hello|hi)"
        rf"[\W_]{{1,3}}(?:(?:the|all|any|our|my|you)[\W_]{{1,3}}){{0,2}}{JUDGE}\b"
        r"|(?<![^\n.!?:])\s{0,3}(?:grader|evaluator|examiner|assessor|judge)[\W_]{1,3}(?:you|please|give|i)\b",
        "as the judge": rf"\bas[\W_]{{0,3}}(?:the|an?|your|my)[\W_]{{0,3}}{W}{{0,2}}?{JUDGE}\b{IN}\b(?:you|please|i|we|{GIVE}|must)\b",
        "you are the judge": rf"\b(?:you are|you're|act as|pretend to be|imagine you are|behave as)[\W_]{{1,3}}(?:now[\W_]{{1,3}})?(?:the|an?|your|this)[\W_]{{1,3}}"
        rf"{W}{{0,3}}?{JUDGE}\b",
        "what the judge has to do": rf"\b{JUDGE}[\W_]{{1,3}}(?:must|should|shall|has to|have to|is to|are to|will|please|needs? to|(?:is|are|has been|have been) (?:required|instructed|told|obliged) to)\b{IN}"
        r"\b(?:marks?|points?|credit|scores?|grades?|full|(?:pass|accept) (?:it|this|me|my))\b",
        "a machine that grades": r"\bif you(?: are|'re)[\W_]{1,3}(?:an?[\W_]{1,3})?(?:ai|llm|language model|automated|machine|bot|model|chatbot)[\W_]{1,3}"
        rf"{W}{{0,3}}?(?:grading|evaluating|judging|scoring|marking|reviewing|reading this|grader|judge|evaluator)\b",
        "give it all": rf"\b(?:{GIVE}|giving|awarding|assigning)\b{S}{W}{{0,6}}?{FULL}",
        "reply with it all": rf"\b(?:return|output|print|write|record|enter|reply with|respond with|answer with|say|set)\b{S}{W}{{0,4}}?"
        r"(?:(?:full|top|perfect|maximum)[\W_]{1,3}(?:marks?|credits?)|perfect[\W_]{1,3}score"
        r"|(?:mark|grade|score)[\W_]{1,3}(?:of|=|:)[\W_]{0,3}\d|\b(?P<every>\d{1,3})[\W_]{0,2}(?:/|out of)[\W_]{0,2}(?P=every)\b)",
        "all, and nothing else": rf"(?:^|\n)[\W_]{{0,4}}{FULL}[\W_]{{0,4}}(?:\n|$)",
        "it deserves it all": r"\b(?:deserves?|merits?|earns?|warrants?|is worth|is entitled to"
        r"|(?:should|must) (?:get|receive|have|be given|be awarded))"
        rf"\b{S}{W}{{0,4}}?{FULL}",
        "it meets all": rf"\b(?:this|my|the (?:above|following|quoted))[\W_]{{1,3}}{WORK}[\W_]{{1,3}}{W}{{0,2}}?"
        rf"(?:meets?|satisf(?:y|ies)|fulfill?s?|covers?|matches|passes)[\W_]{{1,3}}{W}{{0,3}}?"
        r"(?:criteri(?:a|on)|rubrics?|marking scheme|grading requirements?)\b",
        "take it as right": r"\b(?:evaluate|mark|grade|rate|score|treat|accept|consider|count|judge|deem|regard|pass)[\W_]{1,3}"
        r"(?:this|my|the (?:above|following|quoted))[\W_]{1,3}(?:answers?|responses?|submissions?|essays?)\b"
        rf"[\W_]{{1,3}}{W}{{0,3}}?"
        r"(?:correct|excellent|perfect|complete|pass(?:ed|ing)?|full|maximum|outstanding|top|right|highest|generously|leniently|\d{1,3})\b",
        "what the mark is": r"\b(?:the|your|my|its|final|correct|only|right)[\W_]{1,3}(?:(?:final|correct|right|only|appropriate)[\W_]{1,3}){0,2}"
        r"(?:mark|grade|score|verdict|rating)[\W_]{1,3}(?:(?:here|for (?:this|my) \w{1,12})[\W_]{1,3})?"
        r"(?:is|are|must be|should be|shall be|has to be|equals|=|:)[\W_]{1,3}"
        r"(?:full|maximum|perfect|the (?:highest|maximum)|pass|100|\d{1,3}[\W_]{0,2}(?:/|out of)[\W_]{0,2}\d{1,3})\b",
        "a final verdict": r"\bfinal[\W_]{1,3}(?:verdict|mark|grade)[\W_]{0,3}:[\W_]{0,3}(?:pass|full|\d)",
        "be kind": r"\bbe[\W_]{1,3}(?:very[\W_]{1,3})?(?:generous|lenient|kind)\b[^.!?。]{0,20}?\b(?:grad(?:e|ing)|mark(?:s|ing)|scor(?:e|ing))\b",
        "change the mark": r"\b(?:set|raise|change|make|put|increase|adjust|update|bump)[\W_]{1,3}(?:(?:the|your)[\W_]{1,3}(?:final[\W_]{1,3})?(?:mark|grade|verdict)"
        r"|(?:my|this)[\W_]{1,3}(?:final[\W_]{1,3})?(?:mark|grade|score|rating))[\W_]{1,3}(?:to|as|at|=)\b",
        "no deductions": r"\b(?:do not|don.?t|never|without|no need to)[\W_]{1,3}(?:deduct(?:ing)?|subtract(?:ing)?|tak(?:e|ing) off)[\W_]{1,3}(?:any[\W_]{1,3})?(?:marks?|points?|credit)\b",
        "already decided": rf"\bthis[\W_]{{1,3}}{WORK}[\W_]{{1,3}}(?:has|was|is)[\W_]{{1,3}}(?:already[\W_]{{1,3}})?(?:been[\W_]{{1,3}})?(?:pre[\W_]?)?(?:verified|graded|approved|marked|scored|validated)\b",
        "German": r"\b(?:ignorier\w{0,4}|vergiss|vergessen sie|missacht\w{0,4})\b[^.!?]{0,40}?\b(?:anweisung|instruktion|vorgabe|regel|kriterien|prompt)"
        r"|\b(?:gib|gebt|geben|vergib|vergeben|vergebt|verdient|erteile?n?|bewerte\w{0,2})\b[^.!?]{0,50}?(?:voll\w{0,2} punkt|hochst\w{0,2}[\W_]?(?:punkt|note|wertung)|maximal\w{0,3}[\W_]?punkt|alle punkte|bestnote)"
        r"|\bals (?:prufer|bewerter|gutachter|korrektor|richter|juror)(?:in)?\b[^.!?]{0,40}?\b(?:gib|geben|vergib|musst|mussen|sollst|sie|du|ich)\b",
        "French": r"\b(?:ignore[zrs]?|oublie[zrs]?|ne (?:tiens|tenez) pas compte)\b[^.!?]{0,40}?\b(?:instructions?|consignes?|directives?|criteres|regles)\b"
        r"|\b(?:donne[zrs]?|attribue[zrs]?|accorde[zrs]?|mets|mettez|merite)\b[^.!?]{0,50}?\b(?:note maximale|notes? parfaite|tous les points|meilleure note|maximum de points|20[\W_]{0,2}/[\W_]{0,2}20|10[\W_]{0,2}/[\W_]{0,2}10)"
        r"|\ben tant qu(?:e |')(?:evaluat|examinat|correct|juge)\w{0,6}\b",
        "Spanish": r"\b(?:ignor[ae]n?|olvid[ae]n?|haz caso omiso|hagan? caso omiso)\b[^.!?]{0,40}?\b(?:instrucci|indicaci|reglas|criterios|ordenes)"
        r"|\b(?:da|dale|den?|otorg\w{1,3}|asign\w{1,3}|pon|ponle|merece|concede)\b[^.!?]{0,50}?\b(?:puntuacion maxima|maxima (?:puntuacion|nota|calificacion)|nota maxima|calificacion maxima|todos los puntos|10[\W_]{0,2}/[\W_]{0,2}10)"
        r"|\bcomo (?:evaluador|examinador|juez|corrector|calificador)a?\b[^.!?]{0,40}?\b(?:debes?|da|dale|otorga|asigna|pon|usted|tu)\b",
        "Chinese": r"(?:忽略|无视|無視|忘记|忘記|不要理会|不要遵守|忽視)[^。!?]{0,15}?(?:指令|指示|提示|说明|說明|要求|规则|規則|标准|標準)"
        r"|(?:给|給|打|评|評|判|应得|應得|值得)[^。!?]{0,12}?(?:满分|滿分|最高分|100\s?分)|作为(?:评分|阅卷|评审|裁判|考官|评委|评卷)|作為(?:評分|閱卷|評審|裁判|考官|評委)",
    }
)

# Before an order in its sentence, these show that the author reports or refuses it.
REPORT = re.compile(
    r"\bi(?: will|'ll| would|'d| do| did| can| could| should| must| am| have| was)?(?: still| also| therefore)?[\W_]?(?: ?not|n't|nt|cannot| never| refuse| decline| ignor\w+| reject\w*| report\w*| flag\w*| treat\w*| notic\w+)"
    r"|\b(?:won't|wouldn't|refus\w{0,3}|declin\w{0,3}|never (?:follow|obey|act|comply)|not (?:follow|obey|comply|act)|must not|should not|shouldn't|rather than|instead of)\b"
    r"|\b(?:e-?mails?|(?:web ?)?pages?|websites?|documents?|files?|tools?|tickets?|comments?|attachments?|invoices?|attackers?|injections?)\b[^.!?]{0,40}?"
    r"\b(?:says?|said|tells?|told|asks?|asked|contains?|claim(?:s|ed)?|tries|tried|wants?|orders?|instructs?|reads?|demands?|may|might|could|would)\b"
    r"|\b(?:injected|phishing|malicious|payloads?|tries to|attempts? to|phrases? like)\b"
)
