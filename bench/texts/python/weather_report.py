import datetime
import os
import sys

import requests

API = "https://api.weather.example.com/v2"
ICONS = {"clear": "☀", "clouds": "☁", "rain": "☂", "snow": "❄"}


def fetch(endpoint, **params):
    params["appid"] = os.environ["WEATHER_KEY"]
    response = requests.get(f"{API}/{endpoint}", params=params, timeout=10)
    response.raise_for_status()
    return response.json()


def celsius(kelvin):
    return kelvin - 273.15


def wind_name(speed):
    for limit, name in ((2, "calm"), (6, "light"), (12, "fresh"), (20, "strong")):
        if speed < limit:
            return name
    return "storm"


def describe(entry):
    kind = entry["weather"][0]["main"].lower()
    return {
        "icon": ICONS.get(kind, "?"),
        "temperature": round(celsius(entry["main"]["temp"]), 1),
        "wind": wind_name(entry["wind"]["speed"]),
        "humidity": entry["main"]["humidity"],
    }


def current(city):
    return describe(fetch("weather", q=city))


def forecast(city, days=5):
    found = {}
    for entry in fetch("forecast", q=city)["list"]:
        day = datetime.date.fromtimestamp(entry["dt"])
        found.setdefault(day, []).append(describe(entry))
    return dict(sorted(found.items())[:days])


def summarise(entries):
    temperatures = [entry["temperature"] for entry in entries]
    return min(temperatures), max(temperatures), entries[len(entries) // 2]["icon"]


def main():
    cities = sys.argv[1:] or ["Berlin", "Lisbon"]
    for city in cities:
        now = current(city)
        print(f"{city}: {now['icon']} {now['temperature']}°C, {now['wind']} wind, {now['humidity']}%")
        for day, entries in forecast(city).items():
            low, high, icon = summarise(entries)
            print(f"  {day:%a}  {icon}  {low:5.1f} … {high:5.1f}")


if __name__ == "__main__":
    main()
