import json
import sys
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

data = json.loads(Path("project.json").read_text())
environment = Environment(loader=FileSystemLoader("templates"), undefined=StrictUndefined, trim_blocks=True)
environment.filters["upper_first"] = lambda text: text[:1].upper() + text[1:]

for name in environment.list_templates():
    if not name.endswith(".j2"):
        continue
    target = Path(sys.argv[1]) / environment.from_string(name.removesuffix(".j2")).render(data)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(environment.get_template(name).render(data))
    print(f"wrote {target}")

license_text = (Path("licenses") / f"{data['license'].lower()}.txt").read_text()
license_text = license_text.replace("[year]", str(data["year"])).replace("[fullname]", data["author"])
(Path(sys.argv[1]) / "LICENSE").write_text(license_text)
readme = f"# {data['name']}\n\n{data['description']}\n\n## Install\n\n    pip install {data['package']}\n"
(Path(sys.argv[1]) / "README.md").write_text(readme)
print(json.dumps({key: value for key, value in data.items() if key in ("name", "version", "license")}, indent=2))
