import asyncio
import os

import aiohttp

one, two, httpbin, moto = (os.environ[name] for name in ("ONE", "TWO", "HTTPBIN", "MOTO"))


async def ask():
    async with aiohttp.ClientSession(trust_env=True) as session:
        for url in (f"{one}/text", f"{two}/text", f"{httpbin}/uuid", f"{moto}/moto-api/data.json"):
            async with session.get(url) as response:
                print(response.status, await response.text())


asyncio.run(ask())
