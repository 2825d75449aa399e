const http = require('node:http');
const https = require('node:https');
const { ONE, TWO, HTTPBIN, MOTO } = process.env;

const ask = (url, options = {}, body) =>
  new Promise((done, fail) => {
    const request = (url.startsWith('https:') ? https : http).request(url, { timeout: 30000, ...options }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece) => (text += piece));
      response.on('end', () => done(`${response.statusCode} ${text}`));
    });
    request.on('error', fail);
    request.end(body);
  });

(async () => {
  console.log(await ask(`${ONE}/text`));
  console.log(await ask(`${TWO}/text`));
  console.log(await ask(`${HTTPBIN}/anything`, { method: 'POST' }, 'name=Ada'));
  console.log(await ask(`${HTTPBIN}/uuid`));
  console.log(await ask(`${MOTO}/bucket-https`, { method: 'PUT' }));
  console.log(await ask(MOTO));
  // An agent of one's own, as libraries that reuse connections make it.
  console.log(await ask(`${ONE}/text?own`, { agent: new https.Agent({ keepAlive: true }) }));
  console.log(await ask(`${MOTO}/?own`, { agent: new http.Agent() }));
  process.exit();
})();
