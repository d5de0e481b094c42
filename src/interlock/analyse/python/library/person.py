"""Functions that take something from the person at the machine: screen, clipboard, keys, stored passwords."""

from __future__ import annotations

ROWS = {
    "PIL.ImageGrab.grab ImageGrab.grab pyscreenshot.grab pyscreenshot.grab_to_file pyautogui.screenshot pyscreeze.screenshot": "system.read +screen =screen",
    "mss.mss mss.MSS": "system.read +screen >mss.mss",
    "mss.mss.grab mss.mss.shot mss.mss.save dxcam.create": "system.read +screen =screen",
    "d3dshot.create": "system.read +screen >d3dshot.D3DShot",
    "d3dshot.D3DShot.screenshot d3dshot.D3DShot.capture": "system.read +screen =screen",
    "pyperclip.paste pyperclip.waitForPaste pyperclip.waitForNewPaste clipboard.paste xerox.paste pandas.read_clipboard": "system.read +clipboard =clipboard",
    "win32clipboard.GetClipboardData PIL.ImageGrab.grabclipboard ImageGrab.grabclipboard klembord.get_text": "system.read +clipboard =clipboard",
    "tkinter.Tk Tkinter.Tk": ">tkinter.Tk",
    "tkinter.Tk.clipboard_get tkinter.Tk.selection_get": "system.read +clipboard =clipboard",
    "pynput.keyboard.Listener keyboard.on_press keyboard.on_release keyboard.hook keyboard.record keyboard.start_recording": "system.read +keys =keys",
    "keyboard.read_event pyHook.HookManager pyWinhook.HookManager pyxhook.HookManager": "system.read +keys =keys",
    "cv2.VideoCapture sounddevice.rec pyaudio.PyAudio": "=recording",
    "browser_cookie3.chrome browser_cookie3.firefox browser_cookie3.edge browser_cookie3.opera browser_cookie3.brave browser_cookie3.load": "secret.read +browser =secret",
    "browsercookie.chrome browsercookie.firefox win32crypt.CryptUnprotectData keyring.get_password keyring.get_credential": "secret.read =secret",
}  # fmt: skip
