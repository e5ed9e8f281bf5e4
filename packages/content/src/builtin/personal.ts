import { patternsOf } from './builtin.ts'

const personal = patternsOf('personal')

export const personals = [
  personal(301, {
    name: 'E-mail address',
    keywords: ['@'],
    around: { before: 65, after: 256, leading: "[A-Za-z0-9._%+'-]" },
    expression:
      "(?:^|[^A-Za-z0-9._%+'/:@-])([A-Za-z0-9_%+'-](?:[A-Za-z0-9._%+'-]{0,62}[A-Za-z0-9_%+'-])?@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.){1,8}[A-Za-z]{2,24})(?:[^A-Za-z0-9@_-]|$)",
  }),
  personal(302, {
    name: 'International phone number',
    keywords: ['+', '00'],
    around: { before: 2, after: 48 },
    expression: '(?:^|[^A-Za-z0-9+./=_-])((?:\\+|00)[1-9](?:[ ().-]{0,2}[0-9]){7,14})(?:[^A-Za-z0-9/=+_-]|$)',
    check: 'phone',
  }),
  personal(303, {
    name: 'US social security number',
    keywords: ['-', 'ssn', 'social security'],
    expression:
      '(?i)(?:^|[^A-Za-z0-9.-])(?:(?:ssn|social security(?: number| no\\.?)?)[ \\t]{0,4}[:#=]?[ \\t]{0,4}([0-9]{9})|([0-9]{3}-[0-9]{2}-[0-9]{4}))(?:[^A-Za-z0-9-]|$)',
    check: 'social_security',
  }),
]
