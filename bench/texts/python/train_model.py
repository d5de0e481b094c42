import argparse
import json
import random
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Reviews(Dataset):
    def __init__(self, path, vocabulary, length=128):
        self.rows = [json.loads(line) for line in Path(path).read_text().splitlines()]
        self.vocabulary = vocabulary
        self.length = length

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        row = self.rows[index]
        return self.encode(row["text"]), torch.tensor(float(row["label"]))

    def encode(self, text):
        ids = [self.vocabulary.get(word, 1) for word in tokenize(text)][: self.length]
        ids += [0] * (self.length - len(ids))
        return torch.tensor(ids)


def tokenize(text):
    return text.lower().replace(".", " ").replace(",", " ").split()


def build_vocabulary(path, size):
    counts = {}
    for line in Path(path).read_text().splitlines():
        for word in tokenize(json.loads(line)["text"]):
            counts[word] = counts.get(word, 0) + 1
    ranked = sorted(counts, key=counts.get, reverse=True)[: size - 2]
    return {word: number + 2 for number, word in enumerate(ranked)}


class Classifier(nn.Module):
    def __init__(self, vocabulary_size, embedding=64, hidden=128, dropout=0.3):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary_size, embedding, padding_idx=0)
        self.lstm = nn.LSTM(embedding, hidden, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(dropout)
        self.out = nn.Linear(hidden * 2, 1)

    def forward(self, ids):
        states, _ = self.lstm(self.embedding(ids))
        pooled = states.max(dim=1).values
        return self.out(self.dropout(pooled)).squeeze(-1)


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def run_epoch(model, loader, loss_function, device, optimizer=None):
    training = optimizer is not None
    model.train(training)
    total, correct, count = 0.0, 0, 0
    with torch.set_grad_enabled(training):
        for ids, labels in loader:
            ids, labels = ids.to(device), labels.to(device)
            logits = model(ids)
            loss = loss_function(logits, labels)
            if training:
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
            total += loss.item() * len(labels)
            correct += ((logits > 0) == (labels > 0.5)).sum().item()
            count += len(labels)
    return total / count, correct / count


def save(model, vocabulary, path):
    path.mkdir(parents=True, exist_ok=True)
    torch.save(model.state_dict(), path / "model.pt")
    (path / "vocabulary.json").write_text(json.dumps(vocabulary))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--train", default="data/train.jsonl")
    parser.add_argument("--valid", default="data/valid.jsonl")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--out", type=Path, default=Path("runs/latest"))
    args = parser.parse_args()
    seed_everything(7)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    vocabulary = build_vocabulary(args.train, 20_000)
    train = DataLoader(Reviews(args.train, vocabulary), args.batch, shuffle=True)
    valid = DataLoader(Reviews(args.valid, vocabulary), args.batch)
    model = Classifier(len(vocabulary) + 2).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    loss_function = nn.BCEWithLogitsLoss()
    best = 0.0
    for epoch in range(1, args.epochs + 1):
        train_loss, train_accuracy = run_epoch(model, train, loss_function, device, optimizer)
        valid_loss, valid_accuracy = run_epoch(model, valid, loss_function, device)
        print(f"{epoch}: train {train_loss:.4f} {train_accuracy:.3f}  valid {valid_loss:.4f} {valid_accuracy:.3f}")
        if valid_accuracy > best:
            best = valid_accuracy
            save(model, vocabulary, args.out)
    print(f"best accuracy {best:.3f}")


if __name__ == "__main__":
    main()
