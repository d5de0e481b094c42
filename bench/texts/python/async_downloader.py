import asyncio
import hashlib
import sys
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp

LIMIT = 8


def target_name(url, folder):
    name = Path(urlsplit(url).path).name or hashlib.md5(url.encode()).hexdigest()
    return folder / name


async def download(session, url, target, semaphore):
    part = target.with_suffix(target.suffix + ".part")
    headers = {}
    if part.exists():
        headers["Range"] = f"bytes={part.stat().st_size}-"
    async with semaphore, session.get(url, headers=headers) as response:
        response.raise_for_status()
        mode = "ab" if response.status == 206 else "wb"
        with part.open(mode) as handle:
            async for chunk in response.content.iter_chunked(1 << 16):
                handle.write(chunk)
    part.rename(target)
    return target


async def attempt(session, url, folder, semaphore, tries=3):
    target = target_name(url, folder)
    if target.exists():
        return url, "kept"
    for number in range(tries):
        try:
            await download(session, url, target, semaphore)
            return url, "done"
        except (aiohttp.ClientError, asyncio.TimeoutError) as error:
            problem = str(error) or type(error).__name__
            await asyncio.sleep(2 ** number)
    return url, f"failed: {problem}"


async def main(listing, folder):
    folder.mkdir(parents=True, exist_ok=True)
    urls = [line.strip() for line in listing.read_text().splitlines() if line.strip()]
    semaphore = asyncio.Semaphore(LIMIT)
    timeout = aiohttp.ClientTimeout(total=600, connect=10)
    async with aiohttp.ClientSession(timeout=timeout) as session:
        tasks = [attempt(session, url, folder, semaphore) for url in dict.fromkeys(urls)]
        for number, task in enumerate(asyncio.as_completed(tasks), 1):
            url, state = await task
            print(f"[{number}/{len(tasks)}] {state:<8} {url}")


asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2] if len(sys.argv) > 2 else "downloads")))
