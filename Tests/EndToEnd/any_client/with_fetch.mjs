const { ONE, TWO, HTTPBIN, MOTO } = process.env;
const show = async (url, options) => console.log((await (await fetch(url, options)).text()));
await Promise.all([`${ONE}/text?1`, `${ONE}/text?2`].map((url) => fetch(url).then((response) => response.text())));
await show(`${ONE}/text`);
await show(`${TWO}/text`);
await show(`${HTTPBIN}/anything`, { method: 'POST', body: JSON.stringify({ name: 'Ada' }) });
await show(`${HTTPBIN}/uuid`);
await show(`${MOTO}/bucket-fetch`, { method: 'PUT' });
await show(MOTO);
