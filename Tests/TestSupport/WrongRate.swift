/// What a stream's error says where its frames disagree with the clock: `WrongRateTests` see that it
/// does, and the tests of programs look for it in all that is printed.
package let wrongRateWords = "did not run at"
