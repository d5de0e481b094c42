"""Lines of PowerShell that an agent on Windows writes in everyday work, none of which needs to be asked about."""

HARMLESS = r"""
Get-ChildItem
Get-ChildItem -Recurse -Filter *.cs | Select-Object -ExpandProperty FullName
gci -r -fi *.ps1 | % { $_.Name }
ls src | Sort-Object LastWriteTime -Descending | Select-Object -First 5
dir -Path . -Directory -Depth 2
Get-ChildItem -Path src -Include *.ts,*.tsx -Recurse | Measure-Object -Line
Get-ChildItem src -Recurse -File | Where-Object { $_.Length -gt 1MB } | Format-Table Name, Length -AutoSize
Get-ChildItem -Recurse -Include *.log | Where-Object LastWriteTime -lt (Get-Date).AddDays(-7) | Select-Object FullName
Get-Content README.md
Get-Content -Path .\src\main.cs -TotalCount 50
gc package.json -Raw | ConvertFrom-Json | Select-Object -ExpandProperty version
(Get-Content package.json | ConvertFrom-Json).scripts
cat .\README.md | Select-String -Pattern 'install' -Context 2,3
type README.md
Get-Content .\app.log -Tail 20
Select-String -Path src\*.cs -Pattern 'TODO|FIXME'
Get-ChildItem -Recurse *.py | Select-String -Pattern "def main" -List | Select-Object Path
Select-String -Pattern "ERROR" -Path .\logs\*.log -SimpleMatch | Group-Object Filename | Sort-Object Count -Descending
sls -Pattern 'import os' -Path *.py
Test-Path .\node_modules
if (Test-Path .\dist) { Write-Host "built" } else { Write-Host "not built" }
if (-not (Test-Path "build")) { New-Item -ItemType Directory -Path "build" | Out-Null }
New-Item -ItemType Directory -Force -Path src\components
New-Item -Path . -Name "notes.txt" -ItemType "file" -Value "hello"
ni src/util.py
mkdir build
md out -Force
Set-Content -Path notes.txt -Value "hello world"
Add-Content notes.txt "another line"
"hello" | Out-File -FilePath out.txt -Encoding utf8
'a,b' | Set-Content data.csv
"line" >> notes.txt
git log --oneline -5 > log.txt
Get-Date -Format "yyyy-MM-dd"
$d = Get-Date; Write-Output "Now: $d"
Write-Host "Remove-Item -Recurse -Force C:\"
Write-Output 'iex (iwr http://example.com)'
echo "rm -rf /"
# Remove-Item -Recurse -Force C:\
<# Stop-Computer -Force #> Get-Location
Copy-Item src\a.txt -Destination src\b.txt
Copy-Item -Path .\config.example.json -Destination .\config.local.json
cp -r templates out
Move-Item old.txt new.txt
Rename-Item -Path a.txt -NewName b.txt
ren a.txt b.txt
Remove-Item build -Recurse -Force
Remove-Item -Recurse -Force node_modules
rm -r -fo dist
Remove-Item .\obj, .\dist -Recurse -Force -ErrorAction SilentlyContinue
if (Test-Path dist) { Remove-Item dist -Recurse -Force }
Remove-Item notes.tmp
Remove-Item -Recurse -Force C:\Windows -WhatIf
Remove-Item $env:TEMP\scratch.txt
Resolve-Path .
Split-Path -Parent $PSCommandPath
Join-Path $PSScriptRoot 'src' 'main.ps1'
Push-Location src; dotnet build; Pop-Location
Set-Location src; Get-Location
cd src; npm test
pwd
dotnet build
dotnet build --configuration Release --no-restore
dotnet test --logger "console;verbosity=detailed"
dotnet test .\tests\App.Tests.csproj --filter "FullyQualifiedName~Orders"
dotnet restore
dotnet run --project src/App
dotnet --version
dotnet format --verify-no-changes
dotnet clean
npm test
npm run build
npm ci
npm run lint -- --fix
npx tsc --noEmit
yarn build
pnpm run test
node --version
python -m pytest -q
python --version
python -m pip list
pip install -r requirements.txt
git status
git diff HEAD~1 --stat
git add -A; git commit -m "Fix the build"
git commit -m "a $(Get-Date -Format yyyy) change"
git log --oneline | Select-Object -First 10
git branch --show-current
git checkout -b feature/x
git push origin feature/x
git pull --rebase
git stash
if ((git status --porcelain) -eq $null) { Write-Host "clean" }
git diff --name-only | Where-Object { $_ -match '\.cs$' }
$branch = git rev-parse --abbrev-ref HEAD; Write-Host "on $branch"
git diff --name-only main | ForEach-Object { Write-Host "changed: $_" }
az account show
az group list --output table
az vm list --query "[].name" -o tsv
docker ps
docker compose up -d
docker build -t app .
kubectl get pods
terraform plan
cargo build --release
go test ./...
make test
cmake --build build --config Release
msbuild App.sln /p:Configuration=Release
nuget restore App.sln
where.exe git
whoami
hostname
$PSVersionTable
$PSVersionTable.PSVersion.ToString()
Get-Command git
Get-Command -Module Microsoft.PowerShell.Management
Get-Help Get-ChildItem -Examples
Get-Module -ListAvailable
Get-Process
Get-Process -Name node -ErrorAction SilentlyContinue | Select-Object Id, CPU
ps | Sort-Object CPU -Descending | Select-Object -First 10
Get-Service | Where-Object Status -eq 'Running'
Get-Service -Name docker
Get-EventLog -LogName Application -Newest 20
Get-WinEvent -LogName System -MaxEvents 10
Get-NetTCPConnection -LocalPort 3000 -State Listen
Test-NetConnection -ComputerName localhost -Port 5432
Test-Connection github.com -Count 2
Resolve-DnsName example.com
Get-NetIPAddress
Get-CimInstance Win32_OperatingSystem | Select-Object Caption, Version
Get-WmiObject Win32_LogicalDisk | Select-Object DeviceID, FreeSpace
Get-Volume
Get-PSDrive
Get-Disk
Get-HotFix
Get-ComputerInfo | Select-Object OsName
Get-ExecutionPolicy
Get-ScheduledTask | Where-Object State -eq Ready
Get-LocalUser
Get-Acl .\src | Format-List
Get-FileHash .\app.zip -Algorithm SHA256
Get-Item .\app.exe | Select-Object VersionInfo
Get-ItemProperty 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion' | Select-Object ProductName
Get-ChildItem HKCU:\Software
Compress-Archive -Path dist\* -DestinationPath app.zip -Force
Expand-Archive -Path app.zip -DestinationPath out
ConvertTo-Json @{ name = 'x'; version = 1 } | Set-Content config.json
$j = Get-Content config.json -Raw | ConvertFrom-Json; $j.version = 2; $j | ConvertTo-Json -Depth 10 | Set-Content config.json
Import-Csv data.csv | Where-Object { $_.Age -gt 30 } | Export-Csv out.csv -NoTypeInformation
Import-Csv .\data.csv | Group-Object City | Select-Object Name, Count | ConvertTo-Csv
[xml]$x = Get-Content App.csproj; $x.Project.PropertyGroup.TargetFramework
(Get-Content a.txt) -replace 'foo', 'bar' | Set-Content a.txt
(Get-Content a.txt -Raw).Replace("`r`n", "`n") | Set-Content a.txt -NoNewline
$lines = Get-Content a.txt; $lines.Count
$lines = @(Get-Content a.txt); for ($i = 0; $i -lt $lines.Count; $i++) { "$i`: $($lines[$i])" }
foreach ($f in Get-ChildItem *.txt) { Write-Host $f.Name }
Get-ChildItem *.txt | ForEach-Object { Copy-Item $_ "backup\$($_.Name)" }
Get-ChildItem *.jpeg | Rename-Item -NewName { $_.Name -replace '\.jpeg$', '.jpg' }
1..10 | ForEach-Object { $_ * 2 }
$sum = 0; 1..100 | % { $sum += $_ }; $sum
"a-b-c" -split '-' -join '+'
[math]::Round(3.14159, 2)
[System.IO.Path]::GetExtension("a.txt")
[System.IO.Path]::Combine("a", "b")
[guid]::NewGuid().ToString()
[DateTime]::Now.ToString("o")
[string]::IsNullOrEmpty($x)
[Environment]::OSVersion
[System.Text.Encoding]::UTF8.GetBytes("abc").Length
[Convert]::ToBase64String([Text.Encoding]::UTF8.GetBytes("hello"))
$env:NODE_ENV = 'test'; npm test
$env:PATH -split ';'
$hash = @{ a = 1; b = 2 }; $hash.Keys | Sort-Object
$o = [PSCustomObject]@{ Name = 'x'; Size = 3 }; $o | Format-List
try { dotnet build } catch { Write-Error $_ } finally { Write-Host "done" }
switch ($LASTEXITCODE) { 0 { "ok" } default { "failed" } }
if ($LASTEXITCODE -ne 0) { exit 1 }
dotnet build; if ($?) { dotnet test }
npm run build && npm test
npm test || Write-Host "tests failed"
function Get-Sum($a, $b) { return $a + $b }; Get-Sum 1 2
function Show-Tree { param([string]$Path = '.') Get-ChildItem $Path -Recurse | Select-Object FullName }; Show-Tree src
$text = @"
Hello $env:USERNAME
"@; Set-Content hello.txt $text
Measure-Command { npm run build }
Start-Sleep -Seconds 2
Get-Random -Minimum 1 -Maximum 10
Compare-Object (Get-Content a.txt) (Get-Content b.txt)
Get-Content a.txt | Sort-Object -Unique | Measure-Object
Tee-Object -FilePath build.log -InputObject "x"
dotnet build 2>&1 | Tee-Object build.log
npm run build *> build.log
$ErrorActionPreference = 'Stop'
Set-StrictMode -Version Latest
Get-Variable
Write-Progress -Activity "Building" -PercentComplete 50
Invoke-Pester -Path tests
Invoke-ScriptAnalyzer -Path src -Recurse
$r = Invoke-RestMethod http://localhost:3000/health; $r.status
cmd /c "echo hello"
cmd /c ver
cmd /c dir
& "C:\Program Files\Git\bin\git.exe" status
& git log -1
& { Get-Date }
Start-Job { Get-ChildItem } | Wait-Job | Receive-Job
"{0:N2} MB" -f ((Get-ChildItem -Recurse | Measure-Object Length -Sum).Sum / 1MB)
Get-ChildItem | Where-Object { -not $_.PSIsContainer -and $_.Extension -in '.cs', '.ts' }
Get-ChildItem -Path "src" -Recurse -Filter "*.test.ts" | ForEach-Object { $_.FullName.Replace((Get-Location).Path, '') }
Format-Hex .\a.bin | Select-Object -First 3
Out-String -InputObject (Get-ChildItem)
Get-History
Clear-Host
Get-Culture
Get-TimeZone
[int]$n = 5; while ($n -gt 0) { $n--; Write-Host $n }
do { Start-Sleep 1; $i++ } until ($i -gt 3)
"""

LINES = [
    block.strip("\n")
    for block in HARMLESS.replace('$text = @"\nHello $env:USERNAME\n"@;', '$text = @"\0Hello $env:USERNAME\0"@;').strip().split("\n")
]
LINES = [line.replace("\0", "\n") for line in LINES]
