# Every recipe is one line that calls Python, in the environment that tools/environment.py makes on first use.
# `make help` prints the ##-comments below, in English or Spanish.

PY := $(or $(PYTHON),python3)
ifeq (,$(shell command -v $(PY) 2>/dev/null))
$(error $(PY) was not found: install Python 3.11, 3.12 or 3.13, or name one with PYTHON=/path)
endif

# es or en: what you read; without L= it is the language of the terminal
L := $(or $(L),$(if $(filter es%,$(or $(LC_ALL),$(LC_MESSAGES),$(LANG))),es,en))
export GOODPUT_LANG := $(L)

RUN = @$(PY) -m tools.environment run
SELECTED = $(if $(CHAPTER),--chapter $(CHAPTER)) $(if $(EX),--exercise $(EX))
WHERE = $(if $(DEVICE),--device $(DEVICE)) $(if $(ISOLATION),--isolation $(ISOLATION))

.DEFAULT_GOAL := help
.PHONY: help setup lab grade hint progress calibrate bench selftest lessons notebooks numbers format test check clean

##@ Learn | Aprender
lab: ## JupyterLab on work/: your own copy of the exercises, never overwritten | JupyterLab en work/: tu copia de los ejercicios, que nunca se sobrescribe
	$(RUN) -m tools.lab $(ARGS)
grade: ## grade work/, or FROM=solutions, or FROM=path; CHAPTER=07 EX=name DEVICE=cpu JOBS=2 | evalúa work/, o FROM=solutions, o FROM=ruta; CHAPTER=07 EX=nombre DEVICE=cpu JOBS=2
	$(RUN) -m grader.cli grade --from $(or $(FROM),work) $(SELECTED) $(WHERE) $(if $(JOBS),--jobs $(JOBS)) --lang $(L)
hint: ## one hint for EX=name, STEP=1 to 3 | una pista para EX=nombre, STEP=1 a 3
	$(RUN) -m grader.cli hint $(or $(EX),$(error name the exercise: make hint EX=coalesced_copy)) $(if $(STEP),--step $(STEP)) --lang $(L)
progress: ## where you stand, from the last report | cómo vas, según el último informe
	$(RUN) -m grader.cli progress --lang $(L)

##@ This machine | Esta máquina
setup: ## make the environment (the other commands do it when they need it); EXTRAS=jax,cohort | prepara el entorno (los demás comandos lo hacen si hace falta); EXTRAS=jax,cohort
	@$(PY) -m tools.environment setup
calibrate: ## measure the ceilings of this machine | mide los techos de esta máquina
	$(RUN) -m grader.cli calibrate $(if $(DEVICE),--device $(DEVICE))
bench: ## measure baselines and solutions on this GPU | mide líneas base y soluciones en esta GPU
	$(RUN) -m grader.cli bench $(SELECTED) $(ARGS)

##@ Teach and build | Enseñar y construir
notebooks: ## derive the notebooks from course/ | genera los cuadernos a partir de course/
	$(RUN) -m tools.notebooks $(CHAPTER)
lessons: ## run the lessons top to bottom; CHAPTER=07, ARGS=--record keeps their outputs | ejecuta las lecciones de principio a fin; CHAPTER=07, ARGS=--record guarda sus salidas
	$(RUN) -m grader.cli lessons $(if $(CHAPTER),--chapter $(CHAPTER)) --lang $(L) $(ARGS)
numbers: ## write the recorded numbers into the READMEs | escribe en los README los números registrados
	$(RUN) -m tools.readme_numbers
selftest: ## check the course itself: starters, solutions and wrong answers | comprueba el curso: cuadernos de partida, soluciones y respuestas erróneas
	$(RUN) -m grader.cli selftest $(SELECTED) $(WHERE)
format: ## let ruff format the Python code | da formato al código Python con ruff
	$(RUN) -m tools.check --format
test: ## run all tests; ARGS="-k name" | ejecuta todas las pruebas; ARGS="-k nombre"
	$(RUN) -m pytest -n $(or $(JOBS),auto) $(ARGS)
check: ## lint, format, types, derived files and twins | estilo, formato, tipos, archivos generados y gemelos
	$(RUN) -m tools.check
clean: ## remove build/ and caches; keeps .venv and work/ | borra build/ y cachés; conserva .venv y work/
	@$(PY) -m tools.clean

help:
	@$(PY) -m tools.make_help
