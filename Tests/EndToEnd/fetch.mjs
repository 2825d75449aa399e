// Asks a list of requests of one server with Node's fetch, in order. In: {base, requests} as JSON. Out: the answers.
let input = ''
for await (const piece of process.stdin) input += piece
const { base, requests } = JSON.parse(input)
const bytes = (text) => Buffer.from(text, 'base64')

function bodyOf(request) {
  if (request.form) return new URLSearchParams(request.form)
  if (request.parts) {
    const data = new FormData()
    for (const [name, value] of Object.entries(request.parts)) data.append(name, value)
    data.append('file', new Blob([bytes(request.file)]), 'file.bin')
    return data
  }
  if (request.body === null) return undefined
  if (!request.chunked) return bytes(request.body)
  return new ReadableStream({
    start(controller) {
      const whole = bytes(request.body)
      for (let at = 0; at < whole.length; at += 1000) controller.enqueue(whole.subarray(at, at + 1000))
      controller.close()
    },
  })
}

async function ask(request) {
  const response = await fetch(base + request.path, {
    method: request.method,
    headers: request.headers,
    body: bodyOf(request),
    redirect: request.follow ? 'follow' : 'manual',
    duplex: 'half',
  })
  return {
    status: response.status,
    reason: response.statusText,
    fields: [...response.headers],
    body: Buffer.from(await response.arrayBuffer()).toString('base64'),
  }
}

// A request that fails is told as status 0: it fails its own test, not all the others.
const failed = (error) => ({ status: 0, reason: `${error}: ${error.cause}`, fields: [], body: '' })

const answers = []
for (const request of requests) answers.push([await ask(request).catch(failed)])
process.stdout.write(JSON.stringify(answers))
