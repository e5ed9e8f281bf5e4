# What the setup comments of the pages use.

# npx takes longer to start than the program that it finds.
npx() {
  command "$@"
}

# Waits for a mail to an address, since mails are written a moment after the request.
wait_for_mail() {
  for _ in $(seq 150); do
    if ls data/mail/*"$1"*.eml >/dev/null 2>&1; then return 0; fi
    sleep 0.1
  done
  echo "no mail to $1"
  return 1
}

# Waits until the edge has a policy for its agents.
wait_until_edge_decides() {
  for _ in $(seq 150); do
    if curl -s http://127.0.0.1:8089/healthz | grep -q '"status":"ok"'; then return 0; fi
    sleep 0.1
  done
  curl -s http://127.0.0.1:8089/healthz
  return 1
}

# Waits until every entry of the audit trail is sealed, which happens a moment after the change.
wait_until_sealed() {
  for _ in $(seq 150); do
    if [ "$(mandate api /audit/verify --query pending)" = 0 ]; then return 0; fi
    sleep 0.1
  done
  mandate api /audit/verify
  return 1
}

# Registers the organization Acme, and signs its owner in on the command line. Sets TENANT and KEY, an API key of the owner.
sign_in_olivia() {
  printf 'a long pass phrase' >password
  curl -s http://127.0.0.1:8080/api/v1/auth/register -H 'Content-Type: application/json' -d '{"email": "olivia@acme.example",
    "password": "a long pass phrase", "display_name": "Olivia Owner", "organization": "Acme"}' >/dev/null
  mandate login --url http://127.0.0.1:8080 --email olivia@acme.example --password-stdin <password
  TENANT=$(mandate api /auth/session --query tenant.id | tr -d '"')
  KEY=$(mandate keys create ci -o json --query raw_key | tr -d '"')
}

# Writes the policy “Invoice readers” into a file, and saves it.
save_invoice_readers() {
  mkdir -p policies
  cat >policies/invoice-readers.yaml <<'POLICY'
# What invoice readers may do. Asked for by finance, 2026.
name: Invoice readers
environment: development
rules:
  - name: read invoices
    priority: 20
    effect: allow
    match:
      tools: [ mcp:files/read, mcp:files/list ]
  - name: no secrets
    priority: 10
    effect: deny
    reason: secrets stay where they are
    match:
      tools: [ "mcp:files/*" ]
      when:
        - { path: args.path, op: under, value: /secrets, absent: false }
POLICY
  mandate policies push policies/invoice-readers.yaml
}

# The same, and registers the agent “Invoice reader” under it. Sets AGENT and AGENT_KEY.
make_invoice_reader() {
  save_invoice_readers
  mandate agents create "Invoice reader" --environment development --policy "Invoice readers" -o json >agent.json 2>/dev/null
  AGENT=$(node -p 'JSON.parse(require("fs").readFileSync("agent.json")).agent.id')
  AGENT_KEY=$(node -p 'JSON.parse(require("fs").readFileSync("agent.json")).agent_key')
}

# Records three signed decisions of the agent “Invoice reader”, as a new edge does. The edge has the name $1, or else eu-west.
# Sets DECISION, the id of the last one.
record_decisions() {
  EDGE_KEY=$(mandate edges create "${1:-eu-west}" --environment development -o json --query edge_key | tr -d '"')
  DECISION=$(AGENT="$AGENT" EDGE_KEY="$EDGE_KEY" KEY="$KEY" node --input-type=module <<'SCRIPT'
    import { createHash, generateKeyPairSync, sign } from 'node:crypto'
    const { AGENT, EDGE_KEY, KEY } = process.env
    const call = async (path, key, body) => {
      const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
      const sent = { method: body ? 'POST' : 'GET', headers, body: body && JSON.stringify(body) }
      const response = await fetch(`http://127.0.0.1:8080/api/v1${path}`, sent)
      if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
      return await response.json()
    }
    const { id } = (await call('/policies', KEY)).data[0]
    const policy = await call(`/policies/${id}`, KEY)
    const rule = (name) => policy.rules.find((one) => one.name === name).id
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const { kid } = await call('/edge/keys', EDGE_KEY, { public_key_pem: publicKey.export({ type: 'spki', format: 'pem' }) })
    const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()
    const uuidv7 = (time) => {
      const hex = time.toString(16).padStart(12, '0')
      return `${hex.slice(0, 8)}-${hex.slice(8)}-7${crypto.randomUUID().slice(15)}`
    }
    let prev = Buffer.alloc(32)
    const decisions = [['mcp:files/list', 'allow', 'read invoices'], ['mcp:files/read', 'allow', 'read invoices'],
      ['mcp:files/delete', 'deny']].map(([tool, effect, name], index) => {
      // The keys are in alphabetical order, so this is the RFC 8785 form.
      const time = Date.now() - 100 + index
      const record = { agent_id: AGENT, args_digest: sha256(tool).toString('hex'), at: new Date(time).toISOString(), decision_id: uuidv7(time),
        ...(!name && { denied_because: 'default_effect' }), duration_us: 412, effect, mode: 'enforce', policy_hash: policy.content_hash, policy_id: id, policy_version: policy.version,
        ...(name && { rule_id: rule(name) }), session_id: 'thread-4711', tool }
      const seq = Buffer.alloc(8)
      seq.writeBigUInt64BE(BigInt(index + 1))
      const chained = { ...record, seq: index + 1, prev: prev.toString('hex') }
      prev = sha256(prev, seq, sha256(JSON.stringify(record)))
      return chained
    })
    const signature = sign(null, prev, privateKey).toString('base64')
    await call('/edge/decisions', EDGE_KEY, { kid, decisions, signature })
    console.log(decisions.at(-1).decision_id)
SCRIPT
  )
}

# Creates the edge eu-west of the environment development. It sends a heartbeat about the agent “Invoice reader”. Sets EDGE_KEY.
run_an_edge() {
  EDGE_KEY=$(mandate edges create eu-west --environment development -o json --query edge_key | tr -d '"')
  send_heartbeat 1
}

send_heartbeat() {
  curl -sf http://127.0.0.1:8080/api/v1/edge/heartbeat -H "Authorization: Bearer $EDGE_KEY" -H 'Content-Type: application/json' \
    -d "{\"instance_id\": \"a\", \"seq\": $1, \"edge_version\": \"0.1.0\", \"agents\": [{\"agent_id\": \"$AGENT\"}], \"closes_after_beats\": 5}" >/dev/null
}

# The edge confirms a freeze or drill, without a signature. Without an argument it is the active freeze.
confirm_freeze() {
  FREEZE=${1:-$(mandate freezes list --active -o json --query '[0].id' | tr -d '"')}
  curl -sf http://127.0.0.1:8080/api/v1/edge/confirmations -H "Authorization: Bearer $EDGE_KEY" -H 'Content-Type: application/json' \
    -d "{\"instance_id\": \"a\", \"confirmations\": [{\"freeze_id\": \"$FREEZE\", \"at\": \"$(date -u +%Y-%m-%dT%H:%M:%SZ)\"}]}" >/dev/null
}
