import asyncio
import os

import httpx

one, two, httpbin, moto = (os.environ[name] for name in ("ONE", "TWO", "HTTPBIN", "MOTO"))


async def ask():
    async with httpx.AsyncClient(timeout=30) as client:
        responses = await asyncio.gather(client.get(f"{one}/text"), client.get(f"{two}/text"), client.get(f"{httpbin}/uuid"))
        return [response.text for response in responses]


print(httpx.post(f"{httpbin}/anything", json={"name": "Ada"}, timeout=30).json()["json"])
print(httpx.put(f"{moto}/bucket-httpx", timeout=30).status_code, httpx.get(moto, timeout=30).text)
print(asyncio.run(ask()))
