// Expressions for text that instructs the model. They are parts of patterns, and also find such text after it was decoded.

/** Up to `most` characters of one sentence. */
const within = (most: number) => `[^.!?\\r\\n]{0,${most}}`
const anyOf = (...texts: string[]) => `(?:${texts.join('|')})`
/** White space between words, also a line break. */
const gap = '[ \\t\\r\\n]{1,3}'

const rules = anyOf(
  'instructions?',
  'prompts?',
  'directives?',
  'orders?',
  'commands?',
  'guidelines?',
  'guardrails?',
  'safety (?:rules?|checks?|filters?|measures?|protocols?)',
  'safeguards?',
  'programming',
  'system message',
  'constraints?',
  'restrictions?',
  'tasks?',
)
const earlier = anyOf(
  'previous',
  'prior',
  'preceding',
  'earlier',
  'above',
  'foregoing',
  'former',
  'initial',
  'original',
  'subsequent',
  'following',
  'later',
  'past',
  'existing',
  'current',
)
const whose = anyOf('all', 'any', 'your', 'every', 'these', 'those', 'the', 'my', 'our', 'other', 'of')
const drop = anyOf('ignore', 'disregard', 'forget', 'override', 'overlook', 'dismiss', 'neglect', 'supersedes?')

const dropEarlierRules = `\\b${drop}${gap}(?:${whose}${gap}){0,3}(?:${earlier}${gap}){1,2}(?:[a-z-]{1,15}${gap}){0,2}(?:${rules}|directions)\\b`
const dropYourRules = `\\b${anyOf('ignore', 'disregard', 'forget')}${gap}${anyOf('all', 'any', 'your', 'all of your')}${gap}(?:[a-z-]{1,15}${gap}){0,2}${rules}\\b`
const dropPhrase = anyOf(dropEarlierRules, dropYourRules)

const topic = anyOf('AI', 'LLMs?', 'chats?', 'models?', 'assistants?', 'systems?')

/**
 * Mentions of such an instruction: after "how to" at the end of a text, a line or a quote, and alone in quotes after "phrases such as". They come
 * first in the search, so that the words in them are not found. Their empty group makes the match empty, and an empty match does not count.
 */
const mentions = [
  `\\bhow to ${dropPhrase}(?: in (?:an? |the )?${topic}(?: ${topic})?)?[.?!]?(?:\\\\?["”»]|\\\\n|\r?\n|$)()`,
  `\\b${anyOf('phrase', 'word', 'sentence', 'text', 'string', 'prompt', 'input')}s? ${anyOf('like', 'such as')} \\\\?["'“‘«\`]${dropPhrase}[.,!]?\\\\?["'”’»\`]()`,
]

/** Tells the model to drop what it was told. */
const dropRules = [
  dropEarlierRules,
  dropYourRules,
  `\\b${anyOf('ignore', 'disregard', 'forget')}${gap}(?:everything|all|anything|whatever)${within(20)}\\b${anyOf('above', 'before this', 'you (?:were|have been|are) (?:told|instructed|asked)', 'you know', 'previous')}\\b`,
  `\\b${anyOf('bypass', 'disable', 'suspend', 'skip', 'override', 'remove')}${gap}(?:all|any|every|your)${gap}(?:[a-z-]{1,15}${gap}){0,2}(?:security|safety|validation|authori[sz]ation|authentication|content|access|ethical)${gap}(?:[a-z-]{1,15}${gap})?${anyOf('checks?', 'filters?', 'rules?', 'restrictions?', 'validations?', 'polic(?:y|ies)', 'guidelines?', 'controls?', 'measures?')}\\b`,
  `\\b${anyOf('override', 'supersedes?', 'bypass')}${gap}all${gap}(?:subsequent|later|following|previous|prior|security)?[ ]?(?:security|validation|safety)${within(12)}`,
  `\\b${anyOf('ignore', 'disregard', 'forget')}${gap}(?:all${gap})?the${gap}rest${gap}of${gap}(?:this|these)${gap}(?:[a-z-]{1,15}${gap}){1,2}and${gap}(?:instead${gap}|just${gap}|only${gap})?${anyOf('print', 'output', 'say', 'state', 'write', 'reply', 'respond', 'answer', 'repeat', 'visit', 'open', 'send', 'translate')}\\b`,
  `\\bignore${gap}the${gap}(?:[a-z]{1,12}${gap})?[a-z]{1,14}${gap}and${gap}(?:instead${gap})?${anyOf('state', 'say', 'answer', 'respond', 'reply', 'output', 'write', 'declare', 'claim')}\\b`,
  `\\b(?:do not|don't|stop|no longer)${gap}(?:follow(?:ing)?|obey(?:ing)?|listen(?:ing)? to|comply(?:ing)? with)${gap}(?:${whose}${gap}){0,2}(?:${earlier}${gap})?${rules}\\b`,
  `\\b(?:new|updated|real|actual|important|hidden|secret)${gap}(?:system${gap})?instructions?[ \\t]{0,2}:`,
  `\\b(?:takes?|has|have|with|establish)${gap}(?:higher${gap})?(?:priority|precedence)${gap}(?:over|than)${gap}(?:all|any|every|security|safety|your|later|following|other|previous)\\b`,
  `\\b(?:this|these)${gap}(?:directive|instruction|command|message|prompt)s?${gap}(?:supersedes?|overrides?|replaces?)\\b`,
]

/** Gives the model another role or mode. */
const changeRole = [
  `\\byou(?: are|'re)${gap}now${gap}${anyOf(
    'an? (?:unrestricted|unfiltered|uncensored|different|evil|malicious|rogue|jailbroken|new|hacker|pirate)',
    '(?:in|entering) (?:[a-z-]{1,15} ){0,3}mode',
    'operating (?:without|in)',
    'no longer (?:bound|restricted|limited|an? )',
    'free (?:from|of) ',
    'DAN\\b',
    'acting as',
    'the (?:administrator|admin|root|system)',
  )}`,
  `\\b(?:enter(?:ing)?|activate|enable|switch(?:ing)? to)${gap}(?:[a-z-]{1,15}${gap}){0,2}(?:developer|god|jailbreak|dan|override|unrestricted|privileged|debug admin|sudo)${gap}mode\\b`,
  `\\bnow entering\\b${within(20)}\\bmode\\b`,
  `\\b(?:grant|provide|give|allow)${gap}(?:[a-z]{1,12}${gap}){0,2}(?:admin|root|unrestricted|full|privileged)(?:${gap}[a-z]{1,12}){0,2}${gap}access${gap}(?:to${gap}user|without|including|for this)`,
  `\\bsecurity${gap}(?:validation|restrictions?|checks?|rules?|security)(?:${gap}mode)?[: ]{1,3}(?:are${gap}|is${gap})?(?:disabled|temporarily suspended|suspended)\\b`,
  `\\btemporarily${gap}suspended${gap}security\\b`,
  `\\byou must (?:now )?(?:listen to|obey|follow) (?:my|these|the following)\\b`,
  `\\bi(?: am|'m) your (?:developer|creator|administrator|operator|god)\\b`,
  `\\b(?:pretend|act as if)${gap}(?:that${gap})?you${gap}(?:are|have|had)${gap}(?:no|not|an? (?:unrestricted|evil|different))\\b`,
]

/** Asks the model for its secrets, or to keep something from the user. */
const discloseOrHide = [
  `\\b${anyOf('reveal', 'leak', 'output', 'print', 'repeat', 'dump', 'disclose', 'exfiltrate', 'send', 'show', 'tell me', 'display')}${gap}(?:me${gap}|us${gap})?(?:your|the|all|all of your|its)${gap}(?:[a-z-]{1,15}${gap}){0,2}${anyOf('system prompts?', 'system message', 'initial prompt', 'initial instructions', 'hidden instructions', 'conversation history', 'stored api keys', 'previous conversation', 'chat history')}\\b`,
  `\\b${anyOf('reveal', 'leak', 'output', 'exfiltrate', 'dump')}${gap}(?:all${gap})(?:[a-z-]{1,15}${gap}){0,2}${anyOf('api keys', 'user data', 'credentials', 'passwords', 'secrets', 'tokens', 'sensitive information')}\\b`,
  `\\breveal${gap}(?:the${gap}|your${gap}|any${gap})?(?:api keys|credentials|passwords|secrets)\\b`,
  `\\b(?:do not|don't|never|without)${gap}(?:ever${gap})?${anyOf('tell', 'telling', 'mention', 'mentioning', 'inform', 'informing', 'disclose', 'disclosing', 'alert', 'alerting', 'notify', 'notifying', 'reveal', 'revealing')}${gap}(?:(?:this|it|that|anything|about this|this directive|this to|it to)${gap})?(?:to${gap})?(?:the${gap})?(?:user|human|operator|anyone)\\b`,
  `\\bdo not${gap}(?:mention|disclose|reveal)${gap}this${gap}(?:directive|instruction|message|prompt)\\b`,
  `\\b(?:tell|instruct|convince|ask)${gap}the user${gap}(?:to|that)${gap}(?:go|visit|click|open|download|install|send|enter|provide|call|run|reset|their|they|his|her|your account)\\b`,
  `\\b(?:in|into|to|of|with|by)${gap}your${gap}(?:final${gap}|next${gap})?(?:response|reply|summary|output)\\b${within(6)}(?:[.,:"]|$|about|that|include|also)`,
  `\\b(?:encode|begin|start|end|finish|prefix|sign)${gap}your${gap}(?:response|reply|answer|summary|output)\\b`,
  `\\b(?:send|forward|upload|post|exfiltrate|transmit|e-?mail)${gap}(?:[a-z]{1,12}${gap})?(?:all|the|their|any|every|user|your|this)${gap}(?:[a-z']{1,15}${gap}){0,3}(?:data|credentials?|passwords?|keys?|tokens?|contents?|conversation|history|secrets?|contacts|environment variables|files?)${gap}(?:[a-z]{1,12}${gap}){0,3}to${gap}(?:https?://|[A-Za-z0-9._%+-]{1,64}@|[a-z0-9-]{1,40}\\.[a-z]{2,10}\\b)`,
  `\\b(?:execute|run)${gap}(?:the following|this|these|arbitrary)${gap}(?:shell${gap}|bash${gap}|system${gap})?commands?\\b${within(12)}(?::|without|$|<|\\n)`,
]

/** Marks that begin a turn or a message of the system in the templates of chat models, and what pretends to be such a mark. */
const templateMarks = [
  '<\\|(?:im_start|im_end|system|user|assistant|priority|endoftext|eot_id|start_header_id|end_header_id|begin_of_text)\\|>',
  '\\[/?INST\\]',
  '<</?SYS>>',
  '</?(?:system|sys|important|instructions?|system_prompt|system-prompt|admin)>',
  '#{3,4} ?(?:system|instruction|assistant|human)[ \\t]{0,2}:',
  '(?:^|[\\r\\n])[ \\t]{0,4}(?:system|assistant)[ \\t]{0,2}:[ \\t]{0,4}(?:you|ignore|disregard|forget|from now|new)\\b',
  '\\[{0,2}\\b(?:system|admin|priority|security|user|hidden|developer)[ _-](?:override|directive|instruction|bypass|mode activated|prompt override)s?\\b[ ]{0,2}[\\]:\\-]',
  '\\[/?(?:system|admin|priority|security|user)[ _-](?:message|override|directive|instruction|bypass|prompt)\\]',
  '\\bsystem[ _-](?:override|message|alert|notice)[ \\t]{0,2}:[ \\t]{0,4}(?:reveal|disable|ignore|grant|you|bypass|delete|send|disregard|forget|output|execute|new|all|override|the assistant)\\b',
  '\\b(?:developer|system) (?:training data|mode) (?:override|activated)\\b',
  '<(?:system|god|developer|admin) mode>',
  '\\bS[ _-]Y[ _-]S[ _-]T[ _-]E[ _-]M[ _-]{1,4}[DOMIP][ _-][A-Z][ _-]',
  '\\bcontext_update[ \\t]{0,2}:',
  '\\bjailbreak prompt\\b',
  '\\b(?:privilege level|session elevated)[: ]{1,3}(?:to )?(?:admin|root)',
  '\\b(?:instruction|alert|override|note|important|attention)[ \\t]{0,2}:[ \\t]{0,4}(?:ignore|disregard|you are now|bypass all|reveal|forget)\\b',
]

/** "Ignore the earlier instructions" in other languages. */
const otherLanguages = [
  // Spanish, Portuguese, Italian, French
  `(?:ignor[ae]r?|olvid[ae]r?|desconsider[ae]|esque[cç]a|dimentica)${within(25)}(?:instruc+i[oó]n(?:es)?|instru[cç][oõ]es|istruzioni|indicaciones|[oó]rdenes)`,
  `(?:ignorez|oubliez|ne tenez pas compte)${within(25)}(?:instructions|consignes|indications)`,
  `\\b(?:ignor[ae]|ignorez)${gap}(?:la|le|el|a|o|il|lo)${gap}(?:[a-zà-ÿ]{1,15}${gap}){1,3}(?:y|e|et)${gap}(?:declara|dichiara|indiquez|diga|estado|dices?|di|dites|indica)`,
  `\\b(?:debes|tienes que|deves|tens de|você deve|devi|tu dois|vous devez)${gap}(?:(?:seguir|obedecer|escuchar|ouvir|seguire|ascoltare|obbedire|suivre|obéir|écouter)${gap})(?:a${gap}|à${gap})?(?:las?${gap}|as${gap}|le${gap})?(?:mis|minhas|mie|mes)${gap}(?:instrucciones|órdenes|instruções|ordens|istruzioni|ordini|instructions|ordres)`,
  // German, Dutch
  `(?:ignorier(?:e|en)|vergiss|vergessen sie|missachte|negeer|vergeet)${within(30)}(?:anweisung(?:en)?|instruktion(?:en)?|vorgaben|instructies|befehle|und geben sie an)`,
  `\\b(?:musst|müssen sie|moet)${gap}(?:meinen|mijn)${gap}(?:anweisungen|befehlen|instructies|bevelen)${gap}(?:folgen|gehorchen|befolgen|opvolgen|volgen)`,
  // Russian, Ukrainian
  `(?:игнорируй(?:те)?|забудь(?:те)?|проигнорируй(?:те)?|ігноруй(?:те)?)${within(25)}(?:инструкци|указани|команд|інструкці)`,
  // Chinese, Japanese, Korean
  '(?:忽略|无视|無視|忘记|忘記|不要理会)[^。！？\\n]{0,12}(?:指示|指令|说明|說明|提示|命令)',
  '(?:指示|命令|プロンプト|指令)[^。！？\\n]{0,8}(?:無視|忘れ)',
  '(?:지시|명령|지침)[^.!?\\n]{0,10}(?:무시|잊)',
  '(?:[。、.!?！？\\n]|^) ?無視して',
  // Arabic, Hindi, Bengali, Turkish, Vietnamese, Indonesian, Tagalog
  '(?:تجاهل|انس|انسَ)[^.!?\\n]{0,20}(?:التعليمات|تعليمات|الأوامر)',
  '(?:अनदेखा|नज़रअंदाज़)[ ]{0,2}(?:करें|करो|कर)',
  'উপেক্ষা করুন',
  `(?:talimat|komut|yönerge|fonksiyon)[a-zçğıöşü]{0,10}${within(15)}(?:yok say|görmezden gel|unut)`,
  `(?:bỏ qua|quên)${within(20)}(?:hướng dẫn|chỉ dẫn|lệnh)`,
  `(?:abaikan|lupakan)${within(20)}(?:instruksi|perintah)`,
  `(?:harus|wajib)${gap}(?:mendengarkan|mengikuti|mematuhi|menuruti)${gap}(?:instruksi|perintah)(?:ku\\b|${gap}(?:saya|aku)\\b)`,
  `(?:balewalain|huwag pansinin)${within(20)}(?:function|mga|tagubilin|instruksyon)`,
]

const ignoreCase = (parts: readonly string[]) => `(?i)(?:${parts.join('|')})`

export const overrideExpression = ignoreCase([...mentions, ...dropRules, ...changeRole])
export const discloseExpression = ignoreCase(discloseOrHide)
export const markExpression = ignoreCase(templateMarks)
export const otherLanguageExpression = ignoreCase(otherLanguages)
