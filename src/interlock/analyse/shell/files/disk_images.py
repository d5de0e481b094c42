"""Disk images: tools for disks that are given a file, or a loop device, change that file and no disk."""

from __future__ import annotations

from interlock.analyse.files.paths import HOLE
from interlock.analyse.shell.call import ShellCall
from interlock.patterns import late

#: Kinds of effects that change a disk, unless the target is an image.
DISK_CHANGES = frozenset({"disk.wipe", "disk.change", "disk.tune"})
_IMAGE = late(
    r"(?i)^(?!/dev/).+\.(?:img|iso|raw|bin|qcow2?|vmdk|vdi|vhdx?|dmg|luks|swap|ext[234]|fs|fat|vfat|xfs|btrfs|squashfs|dd|disk)$"
    r"|^/dev/loop\d+(?:p\d+)?$"
)
# Programs that work on the one disk or image that they name.
_SINGLE = late(
    r"mkfs(?:\..+)?|mke2fs|mkdosfs|mkntfs|parted|s?fdisk|c?s?gdisk|cfdisk|resize2fs|e2fsck|fsck(?:\..+)?|tune2fs|e2label|debugfs"
    r"|mkswap|swaplabel|wipefs|xfs_\w+|fatlabel|dosfsck|cryptsetup|zerofree"
)
_FLAGS = frozenset({"image"})


def mark_image_writes(call: ShellCall, first: int) -> None:
    """Turn changes of a disk, from the effect at `first` on, into writes of the image that the call names."""
    words = call.words[1:]
    images = [word for word in words if _IMAGE.match(word)]
    if not _SINGLE.fullmatch(call.program) or len(images) != 1:
        return
    if any(HOLE in word or ("/dev/" in word and word not in images) for word in words):
        return
    reading, via = call.scope.reading, call.scope.via
    kept = [e for e in reading.effects[first:] if e.kind not in DISK_CHANGES or e.via != via]
    del reading.effects[first:]
    reading.effects += kept
    if images[0].startswith("/dev/loop"):
        reading.emit("local.change", call.site, images[0], _FLAGS)
    else:
        reading.file("fs.write", call.site, images[0], _FLAGS)
