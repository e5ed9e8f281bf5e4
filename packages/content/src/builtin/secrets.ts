import { patternsOf } from './builtin.ts'

const secret = patternsOf('secrets')

/** From the scheme on: the name of a user, a password, and the beginning of a host. */
const passwordInAddress = '://[^\\x00-\\x20:/?#\\[\\]@"\'<>]{0,100}:([^\\x00-\\x20/?#@"\'<>]{1,200})@[a-z0-9\\[]'

// The formats come from the documentation of the issuers, and from what their own tools print. An expression names as much of the fixed
// part of a format as possible, because that part tells a secret from a random text.
export const secrets = [
  secret(101, {
    name: 'Private key',
    keywords: ['private key'],
    expression:
      '-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:-?[A-Za-z0-9+/=:,.\\\\ \\t\\r\\n]){32,}(?:-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----)?',
  }),
  secret(102, {
    name: 'JSON Web Token',
    keywords: ['eyj'],
    expression: '(?:^|[^A-Za-z0-9_-])(eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{2,}\\.[A-Za-z0-9_-]*)',
    check: 'jwt',
  }),
  secret(103, {
    name: 'AWS access key id',
    keywords: ['akia', 'asia', 'abia', 'acca'],
    expression: '\\b((?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})\\b',
  }),
  secret(104, {
    name: 'AWS secret access key',
    keywords: ['secret'],
    run: { of: 'base64', atLeast: 40 },
    afterName: '[A-Za-z0-9/+]{40}',
    expression:
      '(?i)(?:aws_?secret_?access_?key|aws_?secret_?key|secretaccesskey|secret_access_key|aws secret access key)["\']?[ \\t]{0,8}(?:=|:|=>|,?\\s{0,64}["\']?value["\']?[ \\t]{0,8}[:=])[ \\t]{0,8}["\']?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)',
  }),
  secret(105, {
    name: 'Google API key',
    keywords: ['aiza'],
    expression: '\\b(AIza[A-Za-z0-9_-]{35})(?:[^A-Za-z0-9_-]|$)',
  }),
  secret(106, {
    name: 'Google OAuth secret or token',
    keywords: ['gocspx-', 'ya29.', '1//0'],
    expression: '\\b(GOCSPX-[A-Za-z0-9_-]{28}|ya29\\.[A-Za-z0-9_-]{20,}|1//0[A-Za-z0-9_-]{40,})',
  }),
  secret(107, {
    name: 'Azure storage or service key',
    keywords: ['accountkey', 'sharedaccesskey'],
    expression: '(?i)\\b(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{42,86}={1,2})',
  }),
  secret(108, {
    name: 'Azure client secret',
    keywords: ['q~'],
    around: { before: 5, after: 40 },
    expression: '(?:^|[^A-Za-z0-9_~.-])([A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34})(?:[^A-Za-z0-9_~.-]|$)',
  }),
  secret(109, {
    name: 'GitHub token',
    keywords: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    expression: '\\b(gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})\\b',
  }),
  secret(110, {
    name: 'GitLab token',
    keywords: ['glpat-', 'gldt-', 'glrt-', 'glcbt-', 'glptt-', 'glft-', 'glsoat-', 'glimt-', 'glagent-'],
    expression: '\\b(gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent)-[A-Za-z0-9_-]{20,})',
  }),
  secret(111, {
    name: 'Atlassian token',
    keywords: ['atbb', 'atatt3', 'atctt3'],
    expression: '\\b(ATBB[A-Za-z0-9]{32}\\b|AT(?:A|C)TT3[A-Za-z0-9_=-]{60,})',
  }),
  secret(112, {
    name: 'Slack token or webhook',
    keywords: ['xox', 'xapp-', 'hooks.slack.com'],
    expression:
      '\\b(xox[abceprs](?:\\.xox[bp])?-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{20,}|https://hooks\\.slack\\.com/(?:services|workflows)/[A-Za-z0-9+/]{40,})',
  }),
  secret(113, {
    name: 'Stripe key',
    keywords: ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'whsec_'],
    expression: '\\b([sr]k_(?:live|test)_[A-Za-z0-9]{16,247}|whsec_[A-Za-z0-9+/]{32,88})',
  }),
  secret(114, {
    name: 'OpenAI key',
    keywords: ['t3blbkfj'],
    around: { before: 130, after: 200 },
    expression: '\\b(sk-(?:[a-z]{2,10}-)?[A-Za-z0-9_-]{20,100}T3BlbkFJ[A-Za-z0-9_-]{20,100})',
  }),
  secret(115, {
    name: 'Anthropic key',
    keywords: ['sk-ant-'],
    expression: '\\b(sk-ant-(?:api|admin|oat|ort)[0-9]{2}-[A-Za-z0-9_-]{80,})',
  }),
  secret(116, {
    name: 'Hugging Face token',
    keywords: ['hf_', 'api_org_'],
    expression: '\\b((?:hf|api_org)_[A-Za-z]{34})\\b',
  }),
  secret(117, { name: 'npm token', keywords: ['npm_'], expression: '\\b(npm_[A-Za-z0-9]{36})\\b' }),
  secret(118, {
    name: 'PyPI token',
    keywords: ['pypi-ageichl', 'pypi-agendgv'],
    expression: '\\b(pypi-AgE(?:IcHlwaS5vcmc|NdGVzdC5weXBpLm9yZw)[A-Za-z0-9_-]{50,})',
  }),
  secret(119, {
    name: 'SendGrid key',
    keywords: ['sg.'],
    expression: '\\b(SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43})(?:[^A-Za-z0-9_-]|$)',
  }),
  secret(120, {
    name: 'Twilio key',
    keywords: ['sk'],
    expression: '\\b(SK[0-9a-f]{32})\\b',
  }),
  secret(121, {
    name: 'DigitalOcean token',
    keywords: ['dop_v1_', 'doo_v1_', 'dor_v1_'],
    expression: '\\b(do[opr]_v1_[a-f0-9]{64})\\b',
  }),
  secret(122, {
    name: 'Databricks token',
    keywords: ['dapi'],
    expression: '\\b(dapi[a-f0-9]{32}(?:-[0-9])?)\\b',
  }),
  secret(123, {
    name: 'Shopify token',
    keywords: ['shpat_', 'shpca_', 'shppa_', 'shpss_'],
    expression: '\\b(shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32})\\b',
  }),
  secret(124, {
    name: 'Telegram bot token',
    keywords: [':aa'],
    around: { before: 12, after: 40 },
    expression: '\\b([0-9]{8,10}:AA[A-Za-z0-9_-]{33})(?:[^A-Za-z0-9_-]|$)',
  }),
  secret(125, {
    name: 'HashiCorp token',
    keywords: ['hvs.', 'hvb.', 'hvr.', '.atlasv1.'],
    around: { before: 16, after: 1000 },
    expression: '\\b(hv[sbr]\\.[A-Za-z0-9_-]{24,}|[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_-]{60,})',
  }),
  secret(126, {
    name: 'Alibaba Cloud access key id',
    keywords: ['ltai'],
    expression: '\\b(LTAI[A-Za-z0-9]{12,20})\\b',
  }),
  secret(127, {
    name: 'Connection string with a password',
    keywords: ['://'],
    around: { before: 32, after: 400, tail: `(?i)${passwordInAddress}` },
    expression: `(?i)\\b[a-z][a-z0-9+.-]{1,30}${passwordInAddress}`,
    check: 'password_in_address',
  }),
  secret(128, {
    name: 'Mandate key',
    keywords: ['mk_', 'ak_', 'ek_'],
    expression: '\\b([mae]k_[0-9a-f]{64})\\b',
  }),
  secret(129, {
    name: 'Authorization header',
    keywords: ['authorization'],
    afterName: '(?i)(?:bearer|basic|token)[ \\t]{1,8}[A-Za-z0-9._~+/=-]{20}',
    expression:
      '(?i)\\bauthorization["\']?[ \\t]{0,8}(?:[:=]|,?\\s{0,64}["\']?value["\']?[ \\t]{0,8}[:=])[ \\t]{0,8}["\']?(?:bearer|basic|token)[ \\t]{1,8}([A-Za-z0-9._~+/=-]{20,})',
  }),
]
