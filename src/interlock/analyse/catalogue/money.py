"""Wallets, ledgers and payment services: what moves money, and what gives the keys to it away."""

from interlock.analyse.catalogue.spec import Spec

_KEYS = Spec("keys", does="secret.read", operands="-*", flags="secret wallet")
_PAYS = Spec("pay", does="payment.send", operands="-*")

SPECS = (
    Spec(
        "bitcoin-cli litecoin-cli dogecoin-cli",
        options={
            "-rpcwallet -rpcuser -rpcpassword -rpcconnect -datadir -conf": "=-",
            "-testnet -regtest -signet": "+rehearsed",
        },
        sub={
            "sendtoaddress sendmany send sendall sendrawtransaction bumpfee": _PAYS,
            "dumpprivkey dumpwallet listdescriptors backupwallet gethdkeys": _KEYS,
            "*": "tool.read",
        },
    ),
    Spec(
        "lncli lightning-cli",
        sub={
            "sendpayment payinvoice pay sendcoins sendmany keysend withdraw fundchannel openchannel": _PAYS,
            "*": "tool.read",
        },
    ),
    Spec(
        "solana spl-token",
        options={"-u --url -k --keypair": "=-"},
        sub={
            "program": Spec("program", sub={"deploy close upgrade write-buffer extend": _PAYS, "*": "tool.read"}),
            "transfer close withdraw-stake pay burn mint": _PAYS,
            "*": "tool.read",
        },
    ),
    Spec(
        "near near-cli",
        sub={
            "send send-near transfer delete delete-account stake": _PAYS,
            "call deploy create-account add-key": Spec("call", does="tool.change", operands="-*"),
            "*": "tool.read",
        },
    ),
    Spec(
        "cast",
        sub={
            "send publish": _PAYS,
            "wallet": Spec("wallet", sub={"private-key decrypt-keystore": _KEYS, "*": "tool.read"}),
            "*": "tool.read",
        },
    ),
    Spec(
        "stripe",
        sub={
            "payouts transfers refunds charges payment_intents": Spec(
                "payments", sub={"create capture cancel confirm": _PAYS, "*": "tool.read"}
            ),
            "listen logs login status version get": "tool.read",
            "trigger fixtures": "tool.change",
            "*": "tool.change",
        },
    ),
)
