/** Rules of gitleaks, a library of rules for secrets, as of 22 July 2026. */
const gitleaks = (...rules: string[]): Source => ({
  says: `rules ${rules.map((rule) => `\`${rule}\``).join(', ')} of gitleaks`,
  url: 'https://github.com/gitleaks/gitleaks/blob/b58d3f102cf3a2c84cb7f923d05c25c9b1aed84b/config/gitleaks.toml',
})
const rfc = (number: number, says: string): Source => ({ says, url: `https://www.rfc-editor.org/rfc/rfc${number}` })

export interface Source {
  readonly says: string
  readonly url?: string
}

/** A part of a format that no source names. It is as people saw such secrets. */
const unsourced = (part: string): Source => ({ says: `no source was found for ${part}` })

/** Where the format of each secret comes from, by the name of its pattern. */
export const sources: Readonly<Record<string, readonly Source[]>> = {
  'Private key': [rfc(7468, 'RFC 7468, textual encodings of keys'), gitleaks('private-key')],
  'JSON Web Token': [rfc(7519, 'RFC 7519, JSON Web Token'), gitleaks('jwt')],
  'AWS access key id': [gitleaks('aws-access-token')],
  'AWS secret access key': [unsourced('the names of the setting and the length of 40 characters')],
  'Google API key': [gitleaks('gcp-api-key')],
  'Google OAuth secret or token': [unsourced('the format')],
  'Azure storage or service key': [
    {
      says: 'Microsoft, connection strings of Azure Storage',
      url: 'https://learn.microsoft.com/en-us/azure/storage/common/storage-configure-connection-string',
    },
    unsourced('the length of the key'),
  ],
  'Azure client secret': [
    {
      says: 'Microsoft, definition of the Entra client secret',
      url: 'https://learn.microsoft.com/en-us/purview/sit-defn-azure-ad-client-secret',
    },
    gitleaks('azure-ad-client-secret'),
  ],
  'GitHub token': [
    {
      says: 'GitHub, authentication token formats',
      url: 'https://github.blog/changelog/2021-03-31-authentication-token-format-updates-are-generally-available/',
    },
    gitleaks('github-pat', 'github-fine-grained-pat', 'github-oauth', 'github-app-token', 'github-refresh-token'),
  ],
  'GitLab token': [
    gitleaks(
      'gitlab-pat',
      'gitlab-deploy-token',
      'gitlab-runner-authentication-token',
      'gitlab-cicd-job-token',
      'gitlab-ptt',
      'gitlab-feed-token',
      'gitlab-scim-token',
      'gitlab-incoming-mail-token',
      'gitlab-kubernetes-agent-token',
    ),
  ],
  'Atlassian token': [gitleaks('atlassian-api-token'), unsourced('`ATBB` and `ATCTT3`')],
  'Slack token or webhook': [
    { says: 'Slack, token types', url: 'https://api.slack.com/concepts/token-types' },
    gitleaks(
      'slack-app-token',
      'slack-bot-token',
      'slack-user-token',
      'slack-config-access-token',
      'slack-webhook-url',
      'slack-legacy-token',
      'slack-legacy-workspace-token',
    ),
    unsourced('`xoxc-`'),
  ],
  'Stripe key': [
    { says: 'Stripe, authentication', url: 'https://docs.stripe.com/api/authentication' },
    gitleaks('stripe-access-token'),
    unsourced('the length of `whsec_` secrets'),
  ],
  'OpenAI key': [gitleaks('openai-api-key')],
  'Anthropic key': [
    gitleaks('anthropic-api-key', 'anthropic-admin-api-key'),
    unsourced('`sk-ant-oat` and `sk-ant-ort`'),
  ],
  'Hugging Face token': [gitleaks('huggingface-access-token', 'huggingface-organization-api-token')],
  'npm token': [
    {
      says: 'GitHub, new access token format of npm',
      url: 'https://github.blog/2021-09-23-announcing-npms-new-access-token-format/',
    },
    gitleaks('npm-access-token'),
  ],
  'PyPI token': [gitleaks('pypi-upload-token'), unsourced('tokens of test.pypi.org')],
  'SendGrid key': [gitleaks('sendgrid-api-token')],
  'Twilio key': [gitleaks('twilio-api-key')],
  'DigitalOcean token': [
    { says: 'DigitalOcean, API token format', url: 'https://docs.digitalocean.com/notes/2022/api-token-format' },
    gitleaks('digitalocean-pat', 'digitalocean-access-token', 'digitalocean-refresh-token'),
  ],
  'Databricks token': [gitleaks('databricks-api-token')],
  'Shopify token': [
    {
      says: 'Shopify, length of the access token',
      url: 'https://shopify.dev/changelog/length-of-the-shopify-access-token-is-increasing',
    },
    gitleaks(
      'shopify-access-token',
      'shopify-custom-access-token',
      'shopify-private-app-access-token',
      'shopify-shared-secret',
    ),
  ],
  'Telegram bot token': [gitleaks('telegram-bot-api-token')],
  'HashiCorp token': [
    gitleaks('vault-service-token', 'vault-batch-token', 'hashicorp-tf-api-token'),
    unsourced('`hvr.`'),
  ],
  'Alibaba Cloud access key id': [
    gitleaks('alibaba-access-key-id'),
    unsourced('ids that are shorter than 24 characters'),
  ],
  'Connection string with a password': [rfc(3986, 'RFC 3986, user information in addresses')],
  'Mandate key': [{ says: 'this project', url: 'glossary.md#api-key' }],
  'Authorization header': [rfc(9110, 'RFC 9110, section 11'), rfc(6750, 'RFC 6750, bearer tokens')],
}
