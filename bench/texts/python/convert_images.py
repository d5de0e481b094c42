import concurrent.futures
import os
import sys
from pathlib import Path

from PIL import Image, ImageOps

SIZES = {"thumb": 200, "small": 640, "large": 1600}


def resize(image, width):
    ratio = width / image.width
    return image.resize((width, round(image.height * ratio)), Image.LANCZOS) if ratio < 1 else image


def save(image, path, quality=82):
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path, "WEBP", quality=quality, method=6)
    return path.stat().st_size


def convert(path, out):
    made = []
    with Image.open(path) as image:
        image = ImageOps.exif_transpose(image).convert("RGB")
        for name, width in SIZES.items():
            target = out / name / f"{path.stem}.webp"
            if target.exists() and target.stat().st_mtime > path.stat().st_mtime:
                continue
            made.append((name, save(resize(image, width), target)))
    return path, made


def main(source, out):
    paths = [path for path in sorted(Path(source).rglob("*")) if path.suffix.lower() in (".jpg", ".jpeg", ".png")]
    saved = 0
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(convert, path, Path(out)) for path in paths]
        for job in concurrent.futures.as_completed(jobs):
            path, made = job.result()
            saved += sum(size for _, size in made)
            print(path.name, ", ".join(f"{name} {size // 1024} kB" for name, size in made) or "up to date")
    print(f"{saved / 1e6:.1f} MB written")


if __name__ == "__main__":
    main(*(sys.argv[1:] or ["photos", "web"]))
