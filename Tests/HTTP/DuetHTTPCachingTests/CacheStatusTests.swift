import DuetHTTPCaching
import DuetTesting
import HTTPTypes
import RawStructuredFieldValues
import Testing

@Suite("RFC 9211, Cache-Status")
struct CacheStatusTests {
    @Test(arguments: [
        (CacheStatus(), "Duet"), (CacheStatus(hit: true, ttl: 376), "Duet; hit; ttl=376"),
        (CacheStatus(hit: true, ttl: -412), "Duet; hit; ttl=-412"),
        (
            CacheStatus(forward: .stale, forwardStatus: 304, ttl: 9, stored: true),
            "Duet; fwd=stale; fwd-status=304; ttl=9; stored"
        ),
        (CacheStatus(forward: .uriMiss, collapsed: true), "Duet; fwd=uri-miss; collapsed"),
        (CacheStatus(forward: .varyMiss), "Duet; fwd=vary-miss"),
        (
            CacheStatus(forward: .bypass, key: "a\"b\\c", detail: "no-store"),
            #"Duet; fwd=bypass; key="a\"b\\c"; detail=no-store"#
        ),
        (CacheStatus(cache: "my cache", detail: "é \n"), #""my cache"; detail="? ?""#),
        (CacheStatus(cache: "a.example:80/b"), "a.example:80/b"),
        (CacheStatus(cache: ""), "\"\""), (CacheStatus(cache: "1"), "\"1\""),
        (CacheStatus(ttl: .max), "Duet; ttl=999999999999999"),
        (CacheStatus(ttl: .min), "Duet; ttl=-999999999999999"),
    ])
    func `a value is one member of a list`(status: CacheStatus, text: String) {
        #expect("\(status)" == text)
    }

    @Test func `its member follows those of caches nearer to the origin`() {
        var fields = Exchange.fields(["Cache-Status: Other; hit", "a: 1"])
        CacheStatus(forward: .uriMiss).append(to: &fields)
        #expect(fields[.cacheStatus] == "Other; hit, Duet; fwd=uri-miss")
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `any value is written as a Structured Field and read back`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 1...1000 {
            let status = CacheStatus(
                cache: generator.fieldValue(pieces: 3),
                hit: .random(using: &generator),
                forward: ForwardReason.allCases.randomElement(using: &generator),
                forwardStatus: .random(in: 100...999, using: &generator),
                ttl: .random(in: .min ... .max, using: &generator),
                stored: .random(using: &generator),
                collapsed: .random(using: &generator),
                key: generator.fieldValue(pieces: 3),
                detail: generator.fieldValue(pieces: 3)
            )
            var parser = StructuredFieldValueParser(Array("\(status)".utf8))
            let list = try parser.parseListFieldValue()
            guard list.count == 1, case .item(let item)? = list.first else {
                Issue.record("seed \(seed): \(status)"); return
            }
            func has(_ name: String) -> Bool {
                if case .bool(true)? = item.rfc9651Parameters[name] { true } else { false }
            }
            #expect(
                has("hit") == status.hit && has("stored") == status.stored && has("collapsed") == status.collapsed,
                "seed \(seed): \(status)"
            )
            guard case .token(let reason)? = item.rfc9651Parameters["fwd"],
                case .integer(let code)? = item.rfc9651Parameters["fwd-status"],
                case .string? = item.rfc9651Parameters["key"]
            else { Issue.record("seed \(seed): \(status)"); return }
            #expect(reason == status.forward?.rawValue && Int(code) == status.forwardStatus, "seed \(seed): \(status)")
        }
    }
}
