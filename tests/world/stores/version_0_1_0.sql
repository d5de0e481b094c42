-- A store of version 0.1.0: two runs, a used and a remembered approval, a pending request and a checkpoint.
BEGIN TRANSACTION;
CREATE TABLE interlock_access (
    key_id VARCHAR(64) NOT NULL,
    name VARCHAR(200) NOT NULL,
    role VARCHAR(64) NOT NULL,
    owner VARCHAR(200) NOT NULL,
    hash VARCHAR(64) NOT NULL,
    created_at BIGINT NOT NULL,
    created_by VARCHAR(200) NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    seq BIGINT NOT NULL,
    PRIMARY KEY (key_id),
    UNIQUE (hash)
);
CREATE TABLE interlock_answers (
    approval_id VARCHAR(64) NOT NULL,
    approver VARCHAR(200) NOT NULL,
    answer TEXT NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (approval_id, approver)
);
INSERT INTO "interlock_answers" VALUES('7639ee18cc0348868b8b62818181f2d3','root','{"approver":"root","at":1735732802898772,"challenge":{"answers":[],"kind":"quiz","passed":true,"seconds":9.0,"why":""},"instead":"","model":false,"reason":"","scope":"always","verdict":"approve"}',10);
CREATE TABLE interlock_approvals (
    approval_id VARCHAR(64) NOT NULL,
    run_id VARCHAR(200) NOT NULL,
    agent_id VARCHAR(200),
    started_by VARCHAR(200) NOT NULL,
    digest VARCHAR(64) NOT NULL,
    state VARCHAR(64) NOT NULL,
    request TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    created_boot VARCHAR(64) NOT NULL,
    created_ticks BIGINT NOT NULL,
    lasts BIGINT,
    used_at BIGINT,
    why TEXT NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (approval_id)
);
INSERT INTO "interlock_approvals" VALUES('7639ee18cc0348868b8b62818181f2d3','run-1','bot','root','b19ecdf673dde7db53a6198199bae55ae0336476754605d6650a4895ce0bd99e','approved','{"action":{"agentId":"bot","annotations":{},"cwd":"/home/u/p","docstring":null,"environment":null,"hints":{},"home":"/home/u","inputPayload":{"command":"git push --force origin main"},"metadata":{},"runId":"run-1","toolName":"Bash","workspace":"/home/u/p"},"decision":{"affectedResources":["repository:origin main"],"because":"mode `full` at level high","coverage":"full","dangerous":["git push --force origin main"],"effects":[{"flags":["force"],"kind":"vcs.push","place":null,"resource":"repository:origin main","span":[0,28],"via":[]}],"estimatedImpact":"Significant impact, may require manual intervention to undo","factors":[{"detail":"network","name":"base","points":40},{"detail":"git_force_push is high","name":"rule","points":11}],"findings":[{"easedBy":"","floor":false,"instead":"git push --force-with-lease","level":"high","reason":"Force push can overwrite remote history","reversible":false,"rule":"git_force_push","span":[0,28]}],"level":"high","matchedPolicies":[],"mode":"full","needs":{"approvers":1,"challenge":"quiz","human":true,"model":true,"reason":false,"tier":"high","timeoutSeconds":300,"who":[]},"opaque":[],"overrides":[],"reasons":["Force push can overwrite remote history"],"recommendations":["Review carefully before approving","Make sure there is a backup: this cannot be undone","Instead: git push --force-with-lease"],"reversible":false,"score":51,"text":"git push --force origin main","unshown":[],"verdict":"require_approval"},"needs":{"approvers":1,"challenge":"quiz","human":true,"model":true,"reason":false,"tier":"high","timeoutSeconds":300,"who":[]},"one_person":true,"reviewer":false,"roles":{}}',1735732802876403,'0615f6c5-7881-4e79-bae5-3fd5b4a91c7b',4034238843,3153600000000000,1735732802914842,'approved by `root`',13);
INSERT INTO "interlock_approvals" VALUES('c37113bc39914ccfac5998114f02ffbd','run-2','bot','root','3aa49473a45d4c8e9d11851f3ae0cffa28fdd0d6223ea47d3592eebde9353484','pending','{"action":{"agentId":"bot","annotations":{},"cwd":"/home/u/p","docstring":null,"environment":null,"hints":{},"home":"/home/u","inputPayload":{"command":"git push --force origin later"},"metadata":{},"runId":"run-2","toolName":"Bash","workspace":"/home/u/p"},"decision":{"affectedResources":["repository:origin later"],"because":"mode `full` at level high","coverage":"full","dangerous":["git push --force origin later"],"effects":[{"flags":["force"],"kind":"vcs.push","place":null,"resource":"repository:origin later","span":[0,29],"via":[]}],"estimatedImpact":"Significant impact, may require manual intervention to undo","factors":[{"detail":"network","name":"base","points":40},{"detail":"git_force_push is high","name":"rule","points":11}],"findings":[{"easedBy":"","floor":false,"instead":"git push --force-with-lease","level":"high","reason":"Force push can overwrite remote history","reversible":false,"rule":"git_force_push","span":[0,29]}],"level":"high","matchedPolicies":[],"mode":"full","needs":{"approvers":1,"challenge":"quiz","human":true,"model":true,"reason":false,"tier":"high","timeoutSeconds":300,"who":[]},"opaque":[],"overrides":[],"reasons":["Force push can overwrite remote history"],"recommendations":["Review carefully before approving","Make sure there is a backup: this cannot be undone","Instead: git push --force-with-lease"],"reversible":false,"score":51,"text":"git push --force origin later","unshown":[],"verdict":"require_approval"},"needs":{"approvers":1,"challenge":"quiz","human":true,"model":true,"reason":false,"tier":"high","timeoutSeconds":300,"who":[]},"one_person":true,"reviewer":false,"roles":{}}',1735732803435600,'0615f6c5-7881-4e79-bae5-3fd5b4a91c7b',4034798041,3153600000000000,NULL,'',23);
CREATE TABLE interlock_checkpoints (
    point INTEGER NOT NULL,
    hash VARCHAR(64) NOT NULL,
    at BIGINT NOT NULL,
    key_id VARCHAR(64) NOT NULL,
    signature VARCHAR(128) NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (point)
);
INSERT INTO "interlock_checkpoints" VALUES(16,'842b910b24b72e86e9d8d328eaf43ea4d71e88b20327ec43b13e61edfbe3155b',1735732802982132,'b9fea94edfd96229','a63d51d5ae3ff6204f90007e14ccef120d1ef5d1e61c7b4b8895bbe9f4756882f042329d9006eae7ac93ab0f26e1877f2d41946c966f5a6a8f52e3530f745b0c',17);
CREATE TABLE interlock_counts (
    grain INTEGER NOT NULL,
    at BIGINT NOT NULL,
    what VARCHAR(64) NOT NULL,
    name VARCHAR(200) NOT NULL,
    agent_id VARCHAR(200) NOT NULL,
    level VARCHAR(64) NOT NULL,
    outcome VARCHAR(64) NOT NULL,
    count BIGINT NOT NULL,
    points BIGINT NOT NULL,
    PRIMARY KEY (grain, at, what, name, agent_id, level, outcome)
);
CREATE TABLE interlock_cursors (
    name VARCHAR(200) NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (name)
);
CREATE TABLE interlock_deliveries (
    delivery_id VARCHAR(64) NOT NULL,
    webhook_id VARCHAR(64) NOT NULL,
    record_seq BIGINT NOT NULL,
    state VARCHAR(64) NOT NULL,
    tries INTEGER NOT NULL,
    due_at BIGINT NOT NULL,
    tried_at BIGINT,
    status INTEGER,
    error TEXT NOT NULL,
    PRIMARY KEY (delivery_id)
);
CREATE TABLE interlock_grants (
    grant_id VARCHAR(64) NOT NULL,
    scope VARCHAR(64) NOT NULL,
    digest VARCHAR(64) NOT NULL,
    run_id VARCHAR(200) NOT NULL,
    agent_id VARCHAR(200),
    workspace TEXT,
    granted_by VARCHAR(200) NOT NULL,
    needs TEXT NOT NULL,
    shown TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    uses BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (grant_id)
);
INSERT INTO "interlock_grants" VALUES('397b56b32d3d455d9927fc920af15525','always','b19ecdf673dde7db53a6198199bae55ae0336476754605d6650a4895ce0bd99e','run-1','bot','/home/u/p','root','{"approvers":1,"challenge":"quiz","human":true,"model":true,"reason":false,"tier":"high","timeoutSeconds":300,"who":[]}','git push --force origin main',1735732802898772,4889332802898772,NULL,0,12);
CREATE TABLE interlock_head (
    id INTEGER NOT NULL,
    store_id VARCHAR(64) NOT NULL,
    seq BIGINT NOT NULL,
    hash VARCHAR(64) NOT NULL,
    key_id VARCHAR(64) NOT NULL,
    signature VARCHAR(128) NOT NULL,
    base_seq BIGINT NOT NULL,
    base_hash VARCHAR(64) NOT NULL,
    PRIMARY KEY (id)
);
INSERT INTO "interlock_head" VALUES(1,'71870f85102a9da7b57faae6bea75838',24,'a2f897fee17ceae41ad37e63479ccab7b29025a1bee51abba0869e6453c9eba6','b9fea94edfd96229','351cd2ed9469a1dfd668af17b71fb5bbd51842051f4e78c56227e0d86ef5837af699cc74194a35278d3eefbab2a3df51a668ffbeed760866767dde69a782b70e',0,'0000000000000000000000000000000000000000000000000000000000000000');
CREATE TABLE interlock_keys (
    key_id VARCHAR(64) NOT NULL,
    public VARCHAR(64) NOT NULL,
    machine VARCHAR(200) NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (key_id)
);
INSERT INTO "interlock_keys" VALUES('b9fea94edfd96229','5551ad2477da21e93119c79518a363df398b213cee2f22365605aba7a820e213','root@vm',1);
CREATE TABLE interlock_links (
    hash VARCHAR(64) NOT NULL,
    person VARCHAR(200) NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT,
    key_id VARCHAR(64) NOT NULL,
    signature VARCHAR(128) NOT NULL,
    PRIMARY KEY (hash)
);
CREATE TABLE interlock_people (
    name VARCHAR(200) NOT NULL,
    role VARCHAR(64) NOT NULL,
    password TEXT,
    state VARCHAR(64) NOT NULL,
    created_at BIGINT NOT NULL,
    created_by VARCHAR(200) NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (name)
);
CREATE TABLE interlock_policies (
    version_id VARCHAR(220) NOT NULL,
    policy_id VARCHAR(200) NOT NULL,
    version INTEGER NOT NULL,
    body TEXT NOT NULL,
    removed INTEGER NOT NULL,
    changed_by VARCHAR(200) NOT NULL,
    changed_at BIGINT NOT NULL,
    note TEXT NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (version_id)
);
CREATE TABLE interlock_records (
    seq INTEGER NOT NULL,
    record_id VARCHAR(64) NOT NULL,
    at BIGINT NOT NULL,
    kind VARCHAR(64) NOT NULL,
    name TEXT,
    run_id VARCHAR(200),
    approval_id VARCHAR(64),
    body TEXT NOT NULL,
    hash VARCHAR(64) NOT NULL,
    PRIMARY KEY (seq),
    UNIQUE (record_id)
);
INSERT INTO "interlock_records" VALUES(1,'18168fc96647773e6837a23a61e6b710',1735732801565053,'key','b9fea94edfd96229',NULL,NULL,'{"actor":"root@vm","agentId":null,"approvalId":null,"at":1735732801565053,"data":{"key":"b9fea94edfd96229","row":"5d9f23e33a74e31c1ae3db03e734fd8d198316a31c059c334cfd5a3299594749","seal":"56e3f17cfc5085a285ebec85c40e697eb16df61547b2b749b5f98cc6eee037c1637ad079910961767be2b0e9bd816d5b8a9d806e86a61f9bb1eaa4e9678a820c","table":"keys"},"digest":null,"kind":"key","name":"b9fea94edfd96229","outcome":null,"recordId":"18168fc96647773e6837a23a61e6b710","runId":null,"seq":1}','b7eb56185f9eae00cf4234d008bd56286ca5c1334a18ef2af97a47c94c0d4f77');
INSERT INTO "interlock_records" VALUES(2,'18168fc966330e9369cff0149614de46',1735732801563130,'start',NULL,NULL,NULL,'{"actor":"root@vm","agentId":null,"approvalId":null,"at":1735732801563130,"data":{"onePerson":true,"store":"sqlite:////tmp/aud/oldstore/store.db","version":"0.1.0"},"digest":null,"kind":"start","name":null,"outcome":null,"recordId":"18168fc966330e9369cff0149614de46","runId":null,"seq":2}','d2ba5ddf3b171649f39f9c368b58654e7dc9adcd05c095f31b55268f38061558');
INSERT INTO "interlock_records" VALUES(3,'18168fc9665423fa1f913cbe3d779e41',1735732801565887,'configuration',NULL,NULL,NULL,'{"actor":"root@vm","agentId":null,"approvalId":null,"at":1735732801565887,"data":{"approvals":{"one_person":true,"queue_hours":876000,"remember_days":36500,"require_reviewer":false,"unattended":{"critical":"queue","high":"queue","low":"queue","medium":"queue","safe":"queue"}},"audit":{"keys":[],"payloads":true,"unwritable":"refuse"},"crisis":false,"environment":null,"files":{"/tmp/aud/oldstore/own/interlock.toml":"b06ba8b10be5b711c2a7d29fcd0b18051718160904ea89942d1e01500d4d843b"},"mode":"full","reviewer":null,"roles":{},"rulesOff":[],"timeouts":{}},"digest":null,"kind":"configuration","name":null,"outcome":null,"recordId":"18168fc9665423fa1f913cbe3d779e41","runId":null,"seq":3}','4eefd4188862da5fb4a0af14218f3ef17d51be41baea23275c34c254e4e5a177');
INSERT INTO "interlock_records" VALUES(4,'18168fc96a16038e8ed0e32bd7c3db39',1735732801628919,'policy','b587b6f58748457b9ecea9150c99a60a189a58d9d27d953bb961608afac2675b',NULL,NULL,'{"actor":"root@vm","agentId":null,"approvalId":null,"at":1735732801628919,"data":{"policies":[{"action":"require_approval","approval":null,"conditions":[{"field":"effects.kind","operator":"equals","value":"secret.read"}],"createdAt":null,"description":"Somebody looks before an agent reads keys, passwords or tokens.","enabled":true,"name":"Sensitive files","policyId":"sensitive-files","updatedAt":null,"version":1,"when":null},{"action":"warn","approval":null,"conditions":[{"field":"effects.kind","operator":"equals","value":"deploy.release"}],"createdAt":null,"description":"A release is announced in the record wherever it goes.","enabled":true,"name":"Deployments","policyId":"deployments","updatedAt":null,"version":1,"when":null},{"action":"require_approval","approval":null,"conditions":[{"field":"environment","operator":"in","value":["production","critical"]},{"field":"effects.changes","operator":"equals","value":true},{"field":"risk.level","operator":"gte","value":"medium"}],"createdAt":null,"description":"Nothing but reading happens in production without a person.","enabled":true,"name":"Production changes","policyId":"production-changes","updatedAt":null,"version":1,"when":null},{"action":"block","approval":null,"conditions":[{"field":"agentId","operator":"matches","value":"^untrusted(-|$)"}],"createdAt":null,"description":"An agent that calls itself untrusted runs nothing.","enabled":true,"name":"Untrusted agents","policyId":"untrusted-agents","updatedAt":null,"version":1,"when":null}]},"digest":null,"kind":"policy","name":"b587b6f58748457b9ecea9150c99a60a189a58d9d27d953bb961608afac2675b","outcome":null,"recordId":"18168fc96a16038e8ed0e32bd7c3db39","runId":null,"seq":4}','dacfe86e79eb2f01a6f67b241f6a82e6181491653cbc0ddfe8506997b4896d00');
INSERT INTO "interlock_records" VALUES(5,'18168fc9b2d2866541569cadea23b433',1735732802849236,'run.started',NULL,'run-1',NULL,'{"actor":"root","agentId":"bot","approvalId":null,"at":1735732802849236,"data":{"key":"b9fea94edfd96229","row":"26dce6fcbb2e0400dd5d08bd9cb6f371ca332341e4fbe7ebb7af29679046df1a","seal":"75646fd518640d8bbc8aac1da4807f8b5cf906b7a7b5aa57063a0a41c68510c5dfa44446881f8a2483337b9b069b7209e818d95a62a86499f76410fbb71d2202","table":"runs"},"digest":null,"kind":"run.started","name":null,"outcome":"open","recordId":"18168fc9b2d2866541569cadea23b433","runId":"run-1","seq":5}','12b154978d7e4e34c790b1bfbea72659d99e059e843d010d18c3c1ad4a07e2ff');
INSERT INTO "interlock_records" VALUES(6,'18168fc9b2dadd98eae7d8d5f15c9706',1735732802836517,'decision','Bash','run-1',NULL,'{"actor":"bot","agentId":"bot","approvalId":null,"at":1735732802836517,"data":{"action":{"agentId":"bot","annotations":{},"cwd":"/home/u/p","docstring":null,"environment":null,"hints":{},"home":"/home/u","inputPayload":{"command":"git status"},"metadata":{},"runId":"run-1","toolName":"Bash","workspace":"/home/u/p"},"because":"mode `full` at level low","coverage":"full","effects":["vcs.read"],"level":"low","mode":"full","resources":[],"rules":[],"score":5,"text":"git status"},"digest":"a0fb0ab4a26ab2ae9f0435c654626934d81cfff2d187a6dc25300f50c972c8b6","kind":"decision","name":"Bash","outcome":"allow","recordId":"18168fc9b2dadd98eae7d8d5f15c9706","runId":"run-1","seq":6}','9b94974bf132961ecb47689f2dc07aec40f2331f386a2de2d5baea1437ceab43');
INSERT INTO "interlock_records" VALUES(7,'18168fc9b46d15facab5dd6983a66e4b',1735732802865172,'decision','Bash','run-1',NULL,'{"actor":"bot","agentId":"bot","approvalId":null,"at":1735732802865172,"data":{"action":{"agentId":"bot","annotations":{},"cwd":"/home/u/p","docstring":null,"environment":null,"hints":{},"home":"/home/u","inputPayload":{"command":"git push --force origin main"},"metadata":{},"runId":"run-1","toolName":"Bash","workspace":"/home/u/p"},"because":"mode `full` at level high","coverage":"full","effects":["vcs.push"],"level":"high","marks":[[0,28]],"mode":"full","reasons":["Force push can overwrite remote history"],"resources":["repository:origin main"],"rules":["git_force_push"],"score":51,"text":"git push --force origin main"},"digest":"b19ecdf673dde7db53a6198199bae55ae0336476754605d6650a4895ce0bd99e","kind":"decision","name":"Bash","outcome":"require_approval","recordId":"18168fc9b46d15facab5dd6983a66e4b","runId":"run-1","seq":7}','0405664c919213cef8515cc4b87185d52f3135755910706ee185f9cae53ad8f3');
INSERT INTO "interlock_records" VALUES(8,'18168fc9b47c87eeba836762ad24c5d7',1735732802877155,'approval.reviewed',NULL,'run-1','7639ee18cc0348868b8b62818181f2d3','{"actor":"interlock","agentId":"bot","approvalId":"7639ee18cc0348868b8b62818181f2d3","at":1735732802877155,"data":{},"digest":"b19ecdf673dde7db53a6198199bae55ae0336476754605d6650a4895ce0bd99e","kind":"approval.reviewed","name":null,"outcome":"not configured","recordId":"18168fc9b47c87eeba836762ad24c5d7","runId":"run-1","seq":8}','5ea9412199ffddd84d67908665fedec23552b45ebb9097ee30669bbb05ae3eb8');
INSERT INTO "interlock_records" VALUES(9,'18168fc9b47d7008c41d9cb9abe8929b',1735732802876403,'approval.requested',NULL,'run-1','7639ee18cc0348868b8b62818181f2d3','{"actor":"bot","agentId":"bot","approvalId":"7639ee18cc0348868b8b62818181f2d3","at":1735732802876403,"data":{"key":"b9fea94edfd96229","needs":{"approvers":1,"challenge":"quiz","human":true,"model":true,"reason":false,"tier":"high","timeoutSeconds":300,"who":[]},"onePerson":true,"row":"043b6b35ea476026982b168eec46b83d7705760159f9dcf2507b7a66c2e48065","seal":"704839968aeeb222df68caab1b0023fbb8e413bc15bd76981bb7c384c59ad71c7fbb578927fbfed71358ca198333c4a21a9afb7acd6914f30cef97594b5f7303","table":"approvals"},"digest":"b19ecdf673dde7db53a6198199bae55ae0336476754605d6650a4895ce0bd99e","kind":"approval.requested","name":null,"outcome":null,"recordId":"18168fc9b47d7008c41d9cb9abe8929b","runId":"run-1","seq":9}','ea28eb26ea34e20ac979b3d7b79cae38edda52a4fffc7063af3d4cea2148cbf2');
INSERT INTO "interlock_records" VALUES(10,'18168fc9b5c6a321b985bffebe323563',1735732802898772,'approval.answered','root','run-1','7639ee18cc0348868b8b62818181f2d3','{"actor":"root","agentId":"bot","approvalId":"7639ee18cc0348868b8b62818181f2d3","at":1735732802898772,"data":{"answer":{"approver":"root","at":1735732802898772,"challenge":{"answers":[],"kind":"quiz","passed":true,"seconds":9.0,"why":""},"instead":"","model":false,"reason":"","scope":"always","verdict":"approve"},"key":"b9fea94edfd96229","row":"970dbc2af8249e07c45ed0d4ee3c0fbf6d051ff5dedcdbfe2b125101cd8dcf42","seal":"f591c4a08a32035f9c3cb57da259eb84d3c4332abf48fa604a9433c4a4187e43b42ff6b18f02f437a7c45347842ea71a31edb20a52ed882750468cb8b0f43504","table":"answers"},"digest":"b19ecdf673dde7db53a6198199bae55ae0336476754605d6650a4895ce0bd99e","kind":"approval.answered","name":"root","outcome":"approve","recordId":"18168fc9b5c6a321b985bffebe323563","runId":"run-1","seq":10}','b25c93a77e4b1a888163260b5261c8facefbfc1489e34d19cb9a99d7b5172c11');
INSERT INTO "interlock_records" VALUES(11,'18168fc9b5c95bb6f3bbacee838f57c5',1735732802898968,'approval.approved',NULL,'run-1','7639ee18cc0348868b8b62818181f2d3','{"actor":"root","agentId":"bot","approvalId":"7639ee18cc0348868b8b62818181f2d3","at":1735732802898968,"data":{"key":"b9fea94edfd96229","row":"7bc73ac559342a9de6c9232e886c49d711dcaa48a98bfc6921438f68ef765355","seal":"20c53b6d4ff7fc5ae323e67115c52410adbf2c9f85082c063f634cdd62614ca23ae269151601f6cef2d7cd92cc192b887aa7e326abe7837077663ae63120d80f","table":"approvals","why":"approved by `root`"},"digest":"b19ecdf673dde7db53a6198199bae55ae0336476754605d6650a4895ce0bd99e","kind":"approval.approved","name":null,"outcome":"approved","recordId":"18168fc9b5c95bb6f3bbacee838f57c5","runId":"run-1","seq":11}','98b1a1e1356dba56db87514e5bcafb8cf14b5f63d10491bb14e462358bc0306f');
INSERT INTO "interlock_records" VALUES(12,'18168fc9b5cc2d86e962e8d980a2ee8d',1735732802898772,'grant.made','397b56b32d3d455d9927fc920af15525','run-1',NULL,'{"actor":"root","agentId":null,"approvalId":null,"at":1735732802898772,"data":{"key":"b9fea94edfd96229","row":"6870b99ab3fb6186891b547ff665e5d5a3bd06d8120d93e07a52680ef97683a3","scope":"always","seal":"085164c3411cccb83695a810e713c67edd9e98e26aff7bf0863ae8123a471d3f75f10198a0f8dc73ff0dffa8b29cb92e01e786b1fcd0550bd74c2c2c7245fa09","table":"grants","text":"git push --force origin main"},"digest":"b19ecdf673dde7db53a6198199bae55ae0336476754605d6650a4895ce0bd99e","kind":"grant.made","name":"397b56b32d3d455d9927fc920af15525","outcome":null,"recordId":"18168fc9b5cc2d86e962e8d980a2ee8d","runId":"run-1","seq":12}','f9217238ea980c0b37eef205dd985ba5a996daf2cd79d95c8964d00810925e85');
INSERT INTO "interlock_records" VALUES(13,'18168fc9b6cabf47519bcb6c347ad0fe',1735732802914842,'approval.used',NULL,'run-1','7639ee18cc0348868b8b62818181f2d3','{"actor":"bot","agentId":"bot","approvalId":"7639ee18cc0348868b8b62818181f2d3","at":1735732802914842,"data":{"key":"b9fea94edfd96229","row":"9a168237f649d1519ae8b1f42ae03e582d362b8409a8895fcf5d21dcc920ad36","seal":"fe7c50c27ad77675a043eb95ff64979605d98f3d9d84f8b28db87ee77090b369b585ecd44cbba09e02065e47a1ed3d762237f1d9717c609d3132baae4663e603","table":"approvals"},"digest":"b19ecdf673dde7db53a6198199bae55ae0336476754605d6650a4895ce0bd99e","kind":"approval.used","name":null,"outcome":"allow","recordId":"18168fc9b6cabf47519bcb6c347ad0fe","runId":"run-1","seq":13}','eb85d72398229a39f3adfe2562b10a7118137952cdfa667701e7372e7a4359a5');
INSERT INTO "interlock_records" VALUES(14,'18168fc9b8dfaa5f7b3cac1ca44c8d8f',1735732802942160,'decision','deploy','run-1',NULL,'{"actor":"bot","agentId":"bot","approvalId":null,"at":1735732802942160,"data":{"action":{"agentId":"bot","annotations":{},"cwd":"/home/u/p","docstring":null,"environment":"staging","hints":{},"home":"/home/u","inputPayload":{"n":3,"zone":"eu","é":[1.5,null,{"x":{"‹bytes›":"6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b b''1''"}}]},"metadata":{},"runId":"run-1","toolName":"deploy","workspace":"/home/u/p"},"because":"policy `deployments`","coverage":"full","effects":["tool.change","deploy.release"],"environment":"staging","level":"medium","mode":"full","reasons":["A release reaches its users at once","The tool''s name says that it changes something"],"resources":["tool:deploy","release:deploy"],"rules":["deployment","tool_changes"],"score":40,"text":"{\"zone\":\"eu\",\"n\":3,\"é\":[1.5,null,{\"x\":{\"‹bytes›\":\"6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b b''1''\"}}]}"},"digest":"671877e0d40c1ace9684c8bbc1002ce716c7ac33c4da11f100d7be07e57f480e","kind":"decision","name":"deploy","outcome":"warn","recordId":"18168fc9b8dfaa5f7b3cac1ca44c8d8f","runId":"run-1","seq":14}','6a1af313335ae2e35aa07c105a4b10782d61d1d50addaff1d3c9d99c11204650');
INSERT INTO "interlock_records" VALUES(15,'18168fc9b8e000ac522896ba900d82a3',1735732802942160,'risk','deployments','run-1',NULL,'{"actor":"bot","agentId":"bot","approvalId":null,"at":1735732802942160,"data":{"error":"","policy":"Deployments","severity":"medium"},"digest":"671877e0d40c1ace9684c8bbc1002ce716c7ac33c4da11f100d7be07e57f480e","kind":"risk","name":"deployments","outcome":"warn","recordId":"18168fc9b8e000ac522896ba900d82a3","runId":"run-1","seq":15}','44c31e2f66878d9a978ef0b7b262bf1037e4a8901b1ddd402c8c1139b9ff0ba1');
INSERT INTO "interlock_records" VALUES(16,'18168fc9b9e5a637ba9927205020291a',1735732802967935,'run.ended',NULL,'run-1',NULL,'{"actor":"root","agentId":"bot","approvalId":null,"at":1735732802967935,"data":{"key":"b9fea94edfd96229","row":"c52a4cb1e6b3a0923c7063f903634201a435377fbc721fb2280dc24478906119","seal":"6796969dc525c40f4e179f1ea6d9e14da0227a3dfa0245b33c20bd8023cdd82df0dd7d0472a81b441d144f7edf1f3821ae6a3873a87aff0a3e255092df115004","table":"runs"},"digest":null,"kind":"run.ended","name":null,"outcome":"ended","recordId":"18168fc9b9e5a637ba9927205020291a","runId":"run-1","seq":16}','842b910b24b72e86e9d8d328eaf43ea4d71e88b20327ec43b13e61edfbe3155b');
INSERT INTO "interlock_records" VALUES(17,'18168fc9babfd12e9f1c4a995e180824',1735732802982132,'checkpoint','16',NULL,NULL,'{"actor":"interlock","agentId":null,"approvalId":null,"at":1735732802982132,"data":{"key":"b9fea94edfd96229","row":"e817fecb68be9f895c1346a97301b76fc7a8138356f06513d75cb4c67099ad24","seal":"b45263b0771b195de8a43d409de45b8576ff21dc4013816cd988d0b68b015ccb2b3f908d74d4ba2c15bf1a4849632bd2538135d96b93b2d6fb97f880ddf57106","table":"checkpoints"},"digest":null,"kind":"checkpoint","name":"16","outcome":null,"recordId":"18168fc9babfd12e9f1c4a995e180824","runId":null,"seq":17}','04f1c9258e13e9839fdbd1a4494e8fe485c3bb6c3c75fb02661f2d92e3da7e0f');
INSERT INTO "interlock_records" VALUES(18,'18168fc9d234bc321ab0ba49b4d1dfc8',1735732803375762,'start',NULL,NULL,NULL,'{"actor":"root@vm","agentId":null,"approvalId":null,"at":1735732803375762,"data":{"onePerson":true,"store":"sqlite:////tmp/aud/oldstore/store.db","version":"0.1.0"},"digest":null,"kind":"start","name":null,"outcome":null,"recordId":"18168fc9d234bc321ab0ba49b4d1dfc8","runId":null,"seq":18}','b2809204c9f1a58c0fbe4afaf51e48d0efba95e7f740ca22b6768ccc66d6bd7b');
INSERT INTO "interlock_records" VALUES(19,'18168fc9d338557c376d02c8b1cb7061',1735732803392773,'configuration',NULL,NULL,NULL,'{"actor":"root@vm","agentId":null,"approvalId":null,"at":1735732803392773,"data":{"approvals":{"one_person":true,"queue_hours":876000,"remember_days":36500,"require_reviewer":false,"unattended":{"critical":"queue","high":"queue","low":"queue","medium":"queue","safe":"queue"}},"audit":{"keys":[],"payloads":true,"unwritable":"refuse"},"crisis":false,"environment":null,"files":{"/tmp/aud/oldstore/own/interlock.toml":"b06ba8b10be5b711c2a7d29fcd0b18051718160904ea89942d1e01500d4d843b"},"mode":"full","reviewer":null,"roles":{},"rulesOff":[],"timeouts":{}},"digest":null,"kind":"configuration","name":null,"outcome":null,"recordId":"18168fc9d338557c376d02c8b1cb7061","runId":null,"seq":19}','b8c24c32e1343659f2f75b8e73c6b038becda354fdfb1b51e6f1a2bf43bea140');
INSERT INTO "interlock_records" VALUES(20,'18168fc9d59e3d06b8dd0cd94cdcfaa2',1735732803433010,'run.started',NULL,'run-2',NULL,'{"actor":"root","agentId":"bot","approvalId":null,"at":1735732803433010,"data":{"key":"b9fea94edfd96229","row":"e3c8be781a1b04179d540b3d3f1c9210ed147116bdef73f6e0b3201b3e9b0687","seal":"d45b17a3a78a0ca454bcd5eea3c95ad06cd4f417a120c1df318885e23bc7841acf918894c8b4f6caa4f0edd1a9b70cdce358ad27769d26ab20a61c5aa10cbc0b","table":"runs"},"digest":null,"kind":"run.started","name":null,"outcome":"open","recordId":"18168fc9d59e3d06b8dd0cd94cdcfaa2","runId":"run-2","seq":20}','93cb0d9ecdc48a36c11f7cded4a8a09e6bfd90a873ec4f512c3ddc5b074ec4bb');
INSERT INTO "interlock_records" VALUES(21,'18168fc9d5c0bf803ec9eb73257f440c',1735732803420157,'decision','Bash','run-2',NULL,'{"actor":"bot","agentId":"bot","approvalId":null,"at":1735732803420157,"data":{"action":{"agentId":"bot","annotations":{},"cwd":"/home/u/p","docstring":null,"environment":null,"hints":{},"home":"/home/u","inputPayload":{"command":"git push --force origin later"},"metadata":{},"runId":"run-2","toolName":"Bash","workspace":"/home/u/p"},"because":"mode `full` at level high","coverage":"full","effects":["vcs.push"],"level":"high","marks":[[0,29]],"mode":"full","reasons":["Force push can overwrite remote history"],"resources":["repository:origin later"],"rules":["git_force_push"],"score":51,"text":"git push --force origin later"},"digest":"3aa49473a45d4c8e9d11851f3ae0cffa28fdd0d6223ea47d3592eebde9353484","kind":"decision","name":"Bash","outcome":"require_approval","recordId":"18168fc9d5c0bf803ec9eb73257f440c","runId":"run-2","seq":21}','4560870a16f38ba1687ce889ccdc375a3618c3bf7a09162ff83dd32d99b21735');
INSERT INTO "interlock_records" VALUES(22,'18168fc9d5d78de4f26a4fc6017211ae',1735732803436769,'approval.reviewed',NULL,'run-2','c37113bc39914ccfac5998114f02ffbd','{"actor":"interlock","agentId":"bot","approvalId":"c37113bc39914ccfac5998114f02ffbd","at":1735732803436769,"data":{},"digest":"3aa49473a45d4c8e9d11851f3ae0cffa28fdd0d6223ea47d3592eebde9353484","kind":"approval.reviewed","name":null,"outcome":"not configured","recordId":"18168fc9d5d78de4f26a4fc6017211ae","runId":"run-2","seq":22}','d80c4895235326e9d9bff240c5e4c3620f3a67c6b5c48c7d817b9c94df5bc68b');
INSERT INTO "interlock_records" VALUES(23,'18168fc9d5d8a1ed6f24a740d9127dc8',1735732803435600,'approval.requested',NULL,'run-2','c37113bc39914ccfac5998114f02ffbd','{"actor":"bot","agentId":"bot","approvalId":"c37113bc39914ccfac5998114f02ffbd","at":1735732803435600,"data":{"key":"b9fea94edfd96229","needs":{"approvers":1,"challenge":"quiz","human":true,"model":true,"reason":false,"tier":"high","timeoutSeconds":300,"who":[]},"onePerson":true,"row":"91f79c837099ac6aa18c5352c669bd3d2c994d9994f07c021d9b00c5ccbbd46e","seal":"2a318e191c19e4a1d3c937184784686f458c25108aadcd065e8a697a1498d89d5d8d01db4382618fc3a2c766709c86fc08ec79dca4f708aee5d555cbd8cf1b0f","table":"approvals"},"digest":"3aa49473a45d4c8e9d11851f3ae0cffa28fdd0d6223ea47d3592eebde9353484","kind":"approval.requested","name":null,"outcome":null,"recordId":"18168fc9d5d8a1ed6f24a740d9127dc8","runId":"run-2","seq":23}','748d25224317310d7544008cd7adafae3a30d03755f424baea6e6daea30f7f3c');
INSERT INTO "interlock_records" VALUES(24,'18168fc9d80d530cc90d5744a052af95',1735732803473850,'run.ended',NULL,'run-2',NULL,'{"actor":"root","agentId":"bot","approvalId":null,"at":1735732803473850,"data":{"key":"b9fea94edfd96229","row":"f65d04313c696a9c792fbd610d136cae32a7e18572e6b851d29c026228656e1a","seal":"8a5ed80996a27022439608310859ecd3be3ead8796f2b72bd3ccee4a5539574f8b511dd0e0e31dc2748c28422c579e0a0d0fc792340acf719491c4d7dc22500b","table":"runs"},"digest":null,"kind":"run.ended","name":null,"outcome":"ended","recordId":"18168fc9d80d530cc90d5744a052af95","runId":"run-2","seq":24}','a2f897fee17ceae41ad37e63479ccab7b29025a1bee51abba0869e6453c9eba6');
CREATE TABLE interlock_runs (
    run_id VARCHAR(200) NOT NULL,
    agent_id VARCHAR(200),
    started_by VARCHAR(200) NOT NULL,
    workspace TEXT,
    state VARCHAR(64) NOT NULL,
    started_at BIGINT NOT NULL,
    ended_at BIGINT,
    seq BIGINT NOT NULL,
    PRIMARY KEY (run_id)
);
INSERT INTO "interlock_runs" VALUES('run-1','bot','root',NULL,'ended',1735732801653698,1735732802967922,16);
INSERT INTO "interlock_runs" VALUES('run-2','bot','root',NULL,'ended',1735732803418832,1735732803473830,24);
CREATE TABLE interlock_secrets (
    name VARCHAR(64) NOT NULL,
    value VARCHAR(64) NOT NULL,
    PRIMARY KEY (name)
);
CREATE TABLE interlock_sessions (
    session_id VARCHAR(64) NOT NULL,
    hash VARCHAR(64) NOT NULL,
    before VARCHAR(64),
    person VARCHAR(200) NOT NULL,
    created_at BIGINT NOT NULL,
    renewed_at BIGINT NOT NULL,
    ended_at BIGINT,
    key_id VARCHAR(64) NOT NULL,
    signature VARCHAR(128) NOT NULL,
    PRIMARY KEY (session_id),
    UNIQUE (hash)
);
CREATE TABLE interlock_version (
    version_num VARCHAR(32) NOT NULL PRIMARY KEY
);
INSERT INTO "interlock_version" VALUES('0003');
CREATE TABLE interlock_webhooks (
    webhook_id VARCHAR(64) NOT NULL,
    url TEXT NOT NULL,
    secret VARCHAR(200) NOT NULL,
    kinds TEXT NOT NULL,
    state VARCHAR(64) NOT NULL,
    created_at BIGINT NOT NULL,
    created_by VARCHAR(200) NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (webhook_id)
);
CREATE INDEX interlock_records_by_approval ON interlock_records (approval_id, seq) WHERE approval_id IS NOT NULL;
CREATE INDEX interlock_records_by_kind ON interlock_records (kind, run_id, name);
CREATE INDEX interlock_records_by_run ON interlock_records (run_id, seq);
CREATE INDEX interlock_runs_by_start ON interlock_runs (started_at);
CREATE INDEX interlock_approvals_by_digest ON interlock_approvals (digest, run_id);
CREATE INDEX interlock_approvals_by_state ON interlock_approvals (state, created_at);
CREATE INDEX interlock_grants_by_digest ON interlock_grants (digest);
CREATE INDEX interlock_records_by_kind_in_order ON interlock_records (kind, seq);
CREATE INDEX interlock_runs_by_agent ON interlock_runs (agent_id, started_at);
CREATE INDEX interlock_approvals_by_time ON interlock_approvals (created_at);
CREATE INDEX interlock_policies_by_version ON interlock_policies (policy_id, version);
CREATE INDEX interlock_sessions_by_before ON interlock_sessions (before);
CREATE INDEX interlock_sessions_by_person ON interlock_sessions (person);
CREATE UNIQUE INDEX interlock_deliveries_by_record ON interlock_deliveries (webhook_id, record_seq);
CREATE INDEX interlock_deliveries_due ON interlock_deliveries (state, due_at);
COMMIT;
