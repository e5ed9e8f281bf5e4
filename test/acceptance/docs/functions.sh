# What the setup comments of the pages use.

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
        - { path: args.path, op: under, value: /secrets }
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
